/** `step.map`: runs a branch for each item, a limited number at a time. */
import type { MapOptions } from "../../authoring/scopes.ts";
import type { WorkflowStep } from "../../authoring/step.ts";
import { toFailed } from "../attempted.ts";
import type { OpenScope } from "../open-scope.ts";
import type { Branching, Ended, ScopeEnd } from "./branching.ts";
import { isCancelled, toJoinError } from "./join.ts";
import { createPartParser, parseCount, parseFunction, parseOptions, refuseScope } from "./parse.ts";

const OPTIONS: Readonly<Record<keyof MapOptions<unknown>, 1>> = {
  concurrency: 1,
  key: 1,
  tolerate: 1,
};

interface Item {
  readonly name: string;
  readonly part: string;
  readonly run: (step: WorkflowStep) => unknown;
}

export async function runMap(
  branching: Branching,
  [given, run, options = {}]: readonly unknown[],
): Promise<ScopeEnd> {
  const { scope } = branching;
  const { concurrency, tolerate, key } = parseOptions<MapOptions<unknown>>(scope, options, OPTIONS);
  const items = parseItems(scope, { given, run, key });
  const tolerated = parseTolerated(scope, tolerate ?? 0, items.length);
  const atOnce =
    concurrency === undefined
      ? items.length
      : parseCount(scope, concurrency, { name: "concurrency", min: 1 });
  const { ends, failed } = await runItems(branching, items, { atOnce, tolerated });
  const names = items.map(({ name }) => name);
  const error = failed > tolerated ? toJoinError(scope.name, names, ends) : null;
  const values = ends.map((end) => (tolerate === undefined ? valueOf(end) : toAttempted(end)));
  return {
    told: error === null ? { ok: true, value: values } : { ok: false, error },
    result: null,
  };
}

const valueOf = (end: Ended): unknown => (end.ok ? end.value : undefined);

const toAttempted = (end: Ended): unknown => (end.ok ? end : toFailed(end.error));

/** Reads the items once, because author code may change its list while they run. */
function parseItems(
  scope: OpenScope,
  { given, run, key }: { readonly given: unknown; readonly run: unknown; readonly key: unknown },
): readonly Item[] {
  const isIterable =
    typeof (given as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] === "function";
  if (!isIterable) refuseScope(scope, "a list of items", given);
  const body = parseFunction(scope, run, "a function of a step and an item");
  const toKey =
    key === undefined
      ? (_item: unknown, index: number): number => index
      : parseFunction(scope, key, "a function as key");
  const toPart = createPartParser(scope);
  const { maxStepsPerRun } = scope.session.context.limits;
  return Array.from(given as Iterable<unknown>, (item, index) => {
    // An endless iterable would use up the memory.
    if (index >= maxStepsPerRun) refuseScope(scope, `at most ${maxStepsPerRun} items`, "more");
    const itemKey = toKey(item, index);
    if (typeof itemKey !== "string" && typeof itemKey !== "number")
      refuseScope(scope, "a string or a number as an item's key", itemKey);
    const name = String(itemKey);
    return { name, part: toPart(name), run: (step: WorkflowStep) => body(step, item, index) };
  });
}

/** How many items may fail. @throws {WorkflowError} INVALID_SCOPE */
function parseTolerated(scope: OpenScope, given: unknown, count: number): number {
  if (typeof given !== "string") return parseCount(scope, given, { name: "tolerate", min: 0 });
  const share = /^(\d{1,3}(?:\.\d+)?)%$/.exec(given)?.[1];
  if (share === undefined || Number(share) > 100)
    refuseScope(scope, 'an integer from 0, or a share such as "10%", as tolerate', given);
  // Floating point may give slightly less than a whole number.
  return Math.floor((Number(share) * count) / 100 + 1e-9);
}

interface ItemsEnd {
  /** In the order of the items, and only for items that have begun. */
  readonly ends: readonly Ended[];
  readonly failed: number;
}

async function runItems(
  branching: Branching,
  items: readonly Item[],
  { atOnce, tolerated }: { readonly atOnce: number; readonly tolerated: number },
): Promise<ItemsEnd> {
  const ends: Ended[] = [];
  let next = 0;
  let failed = 0;
  const goThrough = async (): Promise<void> => {
    while (failed <= tolerated) {
      const index = next;
      const item = items[index];
      if (item === undefined) return;
      next += 1;
      const end = await branching.run(item.part, item.run);
      ends[index] = end;
      if (isCancelled(end)) failed = Infinity;
      else if (!end.ok) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, goThrough));
  return { ends, failed };
}
