/** What became of each mutant when it was last planted: `mutants/results.json`, and the page that shows it. */
import { createHash } from "node:crypto";
import { readProjectFile } from "../project-files.ts";
import type { Mutant } from "./patches.ts";

export const RESULTS = "mutants/results.json";

/**
 * `near`: caught by the nearest tests. `rest`: by others of its package, or a proof. `survived`: by none. `invalid`: the
 * compiler sees it, so that it shows nothing about tests.
 */
export interface Result {
  readonly kind: "near" | "rest" | "survived" | "invalid";
  /** The first test that failed. */
  readonly by: string;
  /** Of the diff that was planted. */
  readonly hash: string;
}

/** By name of the mutant. */
export type Results = Readonly<Record<string, Result>>;

export function loadResults(): Results {
  return JSON.parse(readProjectFile(RESULTS)) as Results;
}

/** Tells a diff from one that was changed since, but not from one whose lines have moved. */
export function hashDiff({ diff }: Mutant): string {
  const changed = diff.split("\n").filter((line) => /^[+-]/.test(line));
  return createHash("sha256").update(changed.join("\n")).digest("hex").slice(0, 12);
}

/** Why the mutant does not count as caught; null: it does. */
export function findFault(mutant: Mutant, results: Results): string | null {
  const result = results[mutant.name];
  if (result === undefined) return "never planted";
  if (result.hash !== hashDiff(mutant)) return "changed since it was planted";
  return result.kind === "near" || result.kind === "rest" ? null : result.kind;
}

export function renderResults(mutants: readonly Mutant[], results: Results): string {
  const kinds = mutants.map((mutant) => findFault(mutant, results) ?? results[mutant.name]?.kind);
  const count = (kind: string): number => kinds.filter((other) => other === kind).length;
  const rows = mutants.map((mutant, index) => {
    const kind = kinds[index] ?? "";
    const by = results[mutant.name]?.by ?? "";
    const cells = [mutant.name, mutant.plants, LABELS[kind] ?? `**${kind}**`, by];
    return `| ${cells.map(escapeCell).join(" | ")} |`;
  });
  return `${[
    "<!-- Written by `npm run mutants`; do not edit. -->",
    "",
    "# Planted bugs",
    "",
    "Each patch of this folder plants one bug that the compiler takes. `npm run mutants` plants them one by one in a scratch",
    "clone and runs the nearest tests, then the others of the package and the proofs. This is what it last found of each.",
    "",
    `${mutants.length} planted: ${count("near")} caught by the nearest tests, ${count("rest")} by the rest, ` +
      `${mutants.length - count("near") - count("rest")} not.`,
    "",
    "| Mutant | What it plants | Caught by | First test that failed |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n")}\n`;
}

const LABELS: Readonly<Record<string, string>> = { near: "the nearest", rest: "the rest" };

const escapeCell = (text: string): string => text.replaceAll(/(?<!\\)\|/g, "\\|");
