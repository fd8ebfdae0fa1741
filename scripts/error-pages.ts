/** Writes one page per error code from the table in the engine's `error-facts.ts`. */
import type { ErrorFacts } from "../packages/engine/src/core/error-facts.ts";
import { type ErrorCode, statusOf } from "../packages/engine/src/core/error-codes.ts";
import { WorkflowError } from "../packages/engine/src/core/errors.ts";

const MARK = "<!-- Generated from packages/engine/src/core/error-facts.ts; do not edit. -->";

const FAMILIES: Readonly<Record<ErrorFacts["family"], string>> = {
  request: "the caller of a route, a binding or a service",
  author: "workflow code, which may catch it; uncaught, it fails the instance",
  determinism: "nobody: it fails the run and names the steps",
  store: "the caller of a tick, a route or a binding",
  platform: "the caller of an adapter",
  invariant: "the log; it fails this instance only",
};

/** Text by file name, for `docs/errors/`: a page per code, and the index. */
export function renderErrorPages(
  table: Readonly<Record<string, ErrorFacts>>,
): ReadonlyMap<string, string> {
  const pages = Object.entries(table).map(([code, facts]): [string, string] => [
    `${code}.md`,
    renderPage(code, facts),
  ]);
  return new Map([...pages, ["README.md", renderIndex(table)]]);
}

function renderPage(code: string, facts: ErrorFacts): string {
  return [
    MARK,
    "",
    `# ${code}`,
    "",
    facts.when,
    "",
    `**What to do.** ${facts.fix}`,
    "",
    "| | |",
    "|---|---|",
    `| family | ${facts.family} |`,
    `| thrown to | ${FAMILIES[facts.family]} |`,
    `| HTTP status | ${statusOf(code as ErrorCode)} |`,
    `| can trying again help | ${new WorkflowError(code as ErrorCode, "").retryable ? "yes" : "no"} |`,
    "",
    "[All errors](README.md)",
    "",
  ].join("\n");
}

function renderIndex(table: Readonly<Record<string, ErrorFacts>>): string {
  const lines = Object.entries(table).map(
    ([code, facts]) =>
      `| [${code}](${code}.md) | ${facts.family} | ${statusOf(code as ErrorCode)} | ${facts.when} |`,
  );
  return [
    MARK,
    "",
    "# Errors",
    "",
    "Compare errors by `code`, never by message. `WorkflowError.is(error)` works across installed copies.",
    "",
    "| Code | Family | HTTP | When |",
    "|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}
