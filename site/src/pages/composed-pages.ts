/** Pages that the site makes of parts of others. */
import { listFiles, readProjectFile } from "../../../scripts/project-files.ts";

/** A page whose links are as in the file that it is a part of. */
export interface ComposedPage {
  /** Path on the site. */
  readonly path: string;
  /** Path in the repository that its relative links start from. */
  readonly from: string;
  readonly text: string;
}

/** The quickstart, all errors on one page, and the list of decisions. */
export function composePages(): readonly ComposedPage[] {
  return [composeQuickstart(), composeErrors(), composeDecisions()];
}

/** The README's part about a first workflow. */
function composeQuickstart(): ComposedPage {
  const readme = readProjectFile("README.md");
  const [, part = ""] = readme.split(/^## Quickstart$/m);
  const [body = ""] = part.split(/^## /m);
  // Other parts of the README are on the page that has all of it.
  const linked = body.replaceAll("](#", "](README.md#");
  const text = `# Quickstart\n${linked}`;
  return { path: "quickstart.md", from: "README.md", text };
}

/** The index, and below it every error under its code: `/errors/#STEP_TIMEOUT`. */
function composeErrors(): ComposedPage {
  const folder = "docs/errors/";
  const from = `${folder}README.md`;
  const codes = listFiles((path) => path.startsWith(folder) && path !== from);
  const sections = codes.map((path) =>
    readProjectFile(path)
      .replace(/^# (?<code>\w+)$/m, "## $<code> {#$<code>}")
      .replace(/^\[All errors\].*$/m, ""),
  );
  const index = readProjectFile(from).replaceAll(/\]\((?<code>\w+)\.md\)/g, "](#$<code>)");
  return { path: "errors/index.md", from, text: [index, ...sections].join("\n") };
}

function composeDecisions(): ComposedPage {
  const folder = "docs/decisions/";
  const lines = listFiles((path) => path.startsWith(folder) && path.endsWith(".md")).map((path) => {
    const title = /^# (?<title>.+)$/m.exec(readProjectFile(path))?.groups?.["title"] ?? path;
    return `- [${title}](${path.slice(folder.length)})`;
  });
  const about = "Choices that others could ask about, in the order in which they were made.";
  const text = `# Decisions\n\n${about}\n\n${lines.join("\n")}\n`;
  return { path: "decisions/index.md", from: `${folder}index.md`, text };
}
