/** Holds the acceptance rows against test runs. */
import { isEnough, type Layer, layerOf } from "./layers.ts";
import { findRowIds } from "./row-ids.ts";
import type { Notes, Row } from "./rows.ts";

/** The part of Vitest's JSON report that is read. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    /** Absolute path of the file. */
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      /** The test's own title, without the groups that it is in. */
      readonly title: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** Answer of `npm run conformance -- --json`. */
export interface Conformance {
  readonly rows: number;
  readonly proven: number;
  /** Rows that are demanded and not proven, each with the reason. Empty: conformance holds. */
  readonly missing: Readonly<Record<string, string>>;
  /** Rows that are not demanded yet, each with what is missing, or `proven` where it holds already. */
  readonly open: Readonly<Record<string, string>>;
  /** Tests that were skipped for want of something on this machine: file and reason. */
  readonly skipped: Readonly<Record<string, string>>;
}

export interface JudgeInput {
  readonly rows: Readonly<Record<string, Row>>;
  readonly notes: Pick<Notes, "open" | "outside">;
  readonly reports: readonly TestReport[];
  /** Files of the repository that name a row, by row id. */
  readonly filesByRow: ReadonlyMap<string, readonly string[]>;
  /** Turns a report's path into one of the repository. */
  readonly toPath: (absolute: string) => string;
  /** Why tests of the file may be skipped on this machine; null: they may not. */
  readonly excuseOf: (file: string) => string | null;
}

interface Run {
  readonly file: string;
  readonly title: string;
  readonly status: string;
  readonly layer: Layer;
}

/**
 * A row is proven when a test of the demanded kind, or a stronger one, carries its id and passed, none that carries it
 * failed, and none was skipped that could have run here. A skip is excused when the same test passed elsewhere (another
 * store, another runtime's run), or when a program of the closed list of `tools.ts` is missing.
 */
export function judgeConformance(input: JudgeInput): Conformance {
  const { notes } = input;
  const runsByRow = collectRuns(input);
  const skipped: Record<string, string> = {};
  const missing: Record<string, string> = {};
  const open: Record<string, string> = {};
  const inside = Object.entries(input.rows).filter(([id]) => !(id in notes.outside));
  for (const [id, row] of inside) {
    const reason = findFault({ input, id, row, runs: runsByRow.get(id) ?? [], skipped });
    if (id in notes.open) open[id] = reason === null ? "proven" : `${notes.open[id]} (${reason})`;
    else if (reason !== null) missing[id] = reason;
  }
  const openCount = Object.values(open).filter((state) => state !== "proven").length;
  const proven = inside.length - Object.keys(missing).length - openCount;
  return { rows: inside.length, proven, missing, open, skipped };
}

function collectRuns({ reports, toPath }: JudgeInput): Map<string, Run[]> {
  const byRow = new Map<string, Run[]>();
  for (const { name, assertionResults } of reports.flatMap(({ testResults }) => testResults)) {
    const file = toPath(name);
    for (const { fullName, title, status } of assertionResults) {
      const run = { file, title, status, layer: layerOf(file, fullName) };
      for (const row of findRowIds(fullName)) byRow.set(row, [...(byRow.get(row) ?? []), run]);
    }
  }
  return byRow;
}

interface Case {
  readonly input: JudgeInput;
  readonly id: string;
  readonly row: Row;
  readonly runs: readonly Run[];
  /** Excused skips are added. */
  readonly skipped: Record<string, string>;
}

/** Why the row is not proven; null when it is. */
function findFault({ input, id, row, runs, skipped }: Case): string | null {
  const failed = runs.find(({ status }) => status === "failed");
  if (failed !== undefined) return `failed: ${failed.file} › ${failed.title}`;
  const passed = runs.filter(({ status }) => status === "passed");
  const passedTitles = new Set(passed.map(({ title }) => title));
  const passedElsewhere = (title: string): boolean => passedTitles.has(withoutReason(title));
  const notRun = [
    ...runs.filter(({ status, title }) => status !== "passed" && !passedElsewhere(title)),
    ...filesWithoutRuns(input, id, runs),
  ];
  for (const { file, title } of notRun) {
    const excuse = input.excuseOf(file);
    if (excuse === null) return `skipped though it can run here: ${file} › ${title}`;
    skipped[`${file} › ${title}`] = excuse;
  }
  if (passed.length === 0) return "no test ran";
  if (passed.some(({ layer }) => isEnough(layer, row.proof))) return null;
  return `asks for ${row.proof}, and has ${[...new Set(passed.map(({ layer }) => layer))].join(", ")}`;
}

/** Tests that one kind of store or platform has no part in say why at the end of their titles. */
const withoutReason = (title: string): string => title.replace(/ \(skipped: [^)]*\)$/, "");

/** Test files that name the row in their source and are not in any report at all. */
function filesWithoutRuns(
  { filesByRow, reports, toPath }: JudgeInput,
  id: string,
  runs: readonly Run[],
): { readonly file: string; readonly title: string }[] {
  const ran = new Set([
    ...runs.map(({ file }) => file),
    ...reports.flatMap(({ testResults }) => testResults.map(({ name }) => toPath(name))),
  ]);
  return (filesByRow.get(id) ?? [])
    .filter((file) => /\.test(-d)?\.ts$/.test(file) && !ran.has(file))
    .map((file) => ({ file, title: "the whole file" }));
}
