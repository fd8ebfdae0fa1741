/**
 * For Vitest: writes what went wrong outside of every test beside the JSON report, as `<report>.unhandled.json`. Vitest fails the
 * run for it, and its own report does not say so.
 */
import { writeFileSync } from "node:fs";
import type { SerializedError } from "vitest";
import type { Reporter, Vitest } from "vitest/node";

/** Where the errors of a run are, whose report is there. */
export const toUnhandledPath = (report: string): string =>
  report.replace(/\.json$/, ".unhandled.json");

export default class UnhandledReporter implements Reporter {
  #report: string | null = null;

  onInit(vitest: Vitest): void {
    const { outputFile } = vitest.config;
    this.#report = typeof outputFile === "object" ? (outputFile["json"] ?? null) : null;
  }

  onTestRunEnd(_modules: unknown, errors: readonly SerializedError[]): void {
    if (this.#report === null) return;
    writeFileSync(toUnhandledPath(this.#report), JSON.stringify(errors.map(toLine)));
  }
}

/** The error in a line, with the file that was running. */
function toLine(error: SerializedError): string {
  const running: unknown = error["VITEST_TEST_PATH"];
  const place = typeof running === "string" ? ` (while ${running} was running)` : "";
  const [first = ""] = error.message.split("\n", 1);
  return `${error.name ?? "Error"}: ${first}${place}`;
}
