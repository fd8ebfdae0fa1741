/**
 * The order of test files for a few workers on fewer processors. Files that mostly wait, for runtimes and vendors' tools that start,
 * take turns with files that compute; small files come last, so that no worker ends long before the others.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What waits more than it computes. */
const WAITING = "/runtime-tests/";
/** What takes long, the longest first; most files there are not large, which is all that Vitest goes by. */
const LONG = [
  "/runtime-tests/src/create/",
  "/stores/sql/",
  "/simulation/",
  "/proofs/",
  "/benchmarks/",
  "/chaos/",
  "/packages/dashboard/",
];

/** A test file, as far as the order goes by it. */
export interface OrderedFile {
  readonly path: string;
  /** Whether it has a process of its own. Those that share one must follow each other. */
  readonly isIsolated: boolean;
}

/** @param files in the order that they have among their like */
export function orderFiles<TFile extends OrderedFile>(files: readonly TFile[]): TFile[] {
  const isolated = files
    .filter(({ isIsolated }) => isIsolated)
    .toSorted((one, other) => placeOf(one) - placeOf(other));
  const waiting = isolated.filter(({ path }) => path.includes(WAITING));
  const working = isolated.filter(({ path }) => !path.includes(WAITING));
  const turns = Array.from({ length: Math.max(waiting.length, working.length) }, (_, turn) => [
    ...waiting.slice(turn, turn + 1),
    ...working.slice(turn, turn + 1),
  ]);
  return [...turns.flat(), ...files.filter(({ isIsolated }) => !isIsolated)];
}

function placeOf({ path }: OrderedFile): number {
  const place = LONG.findIndex((folder) => path.includes(folder));
  return place === -1 ? LONG.length : place;
}

/** Vitest's own order, and then `orderFiles`. */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is Vitest's, and no array's.
    const sorted = await super.sort(files);
    return orderFiles(
      sorted.map((file) => ({
        file,
        path: file.moduleId,
        isIsolated: file.project.config.isolate,
      })),
    ).map(({ file }) => file);
  }
}
