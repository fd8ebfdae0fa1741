/** The menu beside every page. */
import { listPublicSources, loadPublishedPackages } from "../../scripts/package-exports.ts";
import { toPageName } from "./reference/page-name.ts";

/** A heading of the menu with its pages, or a page. */
export interface MenuItem {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: MenuItem[];
}

const page = (text: string, link: string): MenuItem => ({ text, link });
const group = (text: string, items: MenuItem[], collapsed = false): MenuItem => ({
  text,
  items,
  collapsed,
});

/** All headings, from what a newcomer reads to what a contributor does. */
export function createSidebar(): MenuItem[] {
  return [
    group("Start", [
      page("Quickstart", "/quickstart"),
      page("Overview", "/overview"),
      page("Concepts", "/concepts"),
      page("Troubleshooting", "/guides/troubleshooting"),
      page("Glossary", "/glossary"),
    ]),
    group("Guides", [
      page("Rules of workflows", "/rules"),
      page("Control flow", "/guides/control-flow"),
      page("Undoing what was done", "/guides/undo"),
      page("Workflows that start workflows", "/guides/children"),
      page("Cancel or terminate an instance", "/guides/cancel"),
      page("Deadlines, tags and memo", "/guides/run-options"),
      page("Retries of a whole run", "/guides/run-retries"),
      page("Events and replies", "/guides/events"),
      page("Topics", "/guides/topics"),
      page("Progress", "/guides/progress"),
      page("Rewind and fork", "/guides/rewind"),
      page("Many instances at once", "/guides/bulk"),
      page("Callbacks", "/guides/callbacks"),
      page("An agent", "/guides/agent"),
      page("Code changes", "/guides/code-changes"),
      page("Guarantees", "/guarantees"),
      page("Testing", "/testing"),
      page("Authentication", "/guides/authentication"),
      page("Frameworks", "/guides/frameworks"),
      page("Transactions", "/guides/transactions"),
      page("Fragno fragments", "/guides/fragno"),
      page("Orders, an example", "/examples/orders"),
    ]),
    group("Coming from", listOrigins(), true),
    group("Platforms", listPlatforms()),
    group("Databases", [
      page("Stores", "/databases"),
      page("Clients", "/packages/db"),
      page("Fragno's adapter", "/packages/fragno"),
      page("Data model", "/packages/data-model"),
    ]),
    group("Operations", listOperations(), true),
    group("Reference", [
      page("HTTP", "/http"),
      page("Errors", "/errors/"),
      page("Entry points", "/reference/"),
      ...listEntries(),
    ]),
    group("Project", listProject(), true),
  ];
}

function listOrigins(): MenuItem[] {
  return [
    page("Temporal", "/coming-from/temporal"),
    page("Inngest", "/coming-from/inngest"),
    page("DBOS", "/coming-from/dbos"),
    page("Vercel Workflow", "/coming-from/vercel"),
    page("Cloudflare Workflows", "/coming-from/cloudflare"),
    page("Rivet", "/coming-from/rivet"),
    page("Stem", "/coming-from/stem"),
  ];
}

function listPlatforms(): MenuItem[] {
  return [
    page("Measured", "/platforms"),
    page("Node", "/deploy/node"),
    page("Bun", "/deploy/bun"),
    page("Deno", "/deploy/deno"),
    page("AWS Lambda", "/deploy/aws-lambda"),
    page("Vercel", "/deploy/vercel"),
    page("Netlify", "/deploy/netlify"),
    page("Cloudflare", "/deploy/cloudflare"),
    page("Write an adapter", "/guides/write-an-adapter"),
  ];
}

function listOperations(): MenuItem[] {
  return [
    page("Running it", "/guides/operations"),
    page("Runbook", "/guides/runbook"),
    page("A broken deploy", "/guides/broken-deploy"),
    page("Command line", "/guides/cli"),
    page("Look at an instance", "/guides/inspect"),
    page("Move an instance", "/guides/move"),
    page("Backup and restore", "/guides/backup"),
    page("Why it is not moving", "/guides/why-not-moving"),
    page("Listeners, metrics, traces and logs", "/guides/observability"),
    page("Dashboard", "/guides/dashboard"),
    page("Reliability", "/reliability"),
    page("Threat model", "/threat-model"),
    page("Performance", "/performance"),
    page("Round trips", "/trips"),
    page("Rows", "/rows"),
    page("Cost", "/cost"),
  ];
}

function listProject(): MenuItem[] {
  return [
    page("Architecture", "/architecture"),
    page("Decisions", "/decisions/"),
    page("Dependencies", "/dependencies"),
    page("Conformance", "/conformance"),
    page("Contributing", "/project/contributing"),
    page("Security", "/project/security"),
    page("Changelog", "/project/changelog"),
  ];
}

/** A group for each package, closed until somebody opens it. */
function listEntries(): MenuItem[] {
  return loadPublishedPackages().map((owner) => {
    const items = listPublicSources(owner).map(({ specifier }) =>
      page(specifier.replace("@escapement/", ""), `/reference/${toPageName(specifier)}`),
    );
    return group(owner.manifest.name, items, true);
  });
}
