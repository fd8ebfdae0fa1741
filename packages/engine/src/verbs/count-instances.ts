/** @module Counts instances over workflows. Loaded with the first count. */
import { assertKnownOptions } from "../core/known-names.ts";
import { INSTANCE_STATUSES, type InstanceStatusName } from "../core/model/status.ts";
import { MOST_COUNTED, type StatusCount, toShares } from "../ports/find-instances.ts";
import type { CountInstancesInput, CountInstancesOutput } from "../ports/finding-service.ts";
import type { HostContext } from "./context.ts";
import { parseWholeNumber } from "./fields.ts";
import { FILTER_OPTIONS, parseFilter, parsePairs } from "./find-instances.ts";

const COUNT_OPTIONS: Readonly<Record<keyof CountInstancesInput, 1>> = {
  ...FILTER_OPTIONS,
  cap: 1,
};

const CAP = 1000;
const MOST_CAP = 10_000;

/** @throws as `EngineService.countInstances` */
export async function countInstances(
  context: HostContext,
  input: CountInstancesInput = {},
): Promise<CountInstancesOutput> {
  assertKnownOptions("countInstances", input, COUNT_OPTIONS);
  const { cap = CAP } = input;
  parseWholeNumber("cap", cap, { from: 1, to: MOST_CAP });
  const filter = parseFilter(context, input);
  const counts: StatusCount[] = [];
  for (const { workflowNames, statuses } of parseShares(context, input))
    counts.push(
      ...inOrder(
        { workflowNames, statuses },
        await context.store.countInstances({
          workflowNames,
          statuses,
          ...filter,
          cap: Math.min(cap, Math.floor(MOST_COUNTED / (workflowNames.length * statuses.length))),
        }),
      ),
    );
  return { counts };
}

interface Share {
  readonly workflowNames: readonly string[];
  readonly statuses: readonly InstanceStatusName[];
}

/** What is counted in one trip each, one after another. */
function parseShares(
  context: HostContext,
  { workflows, status = INSTANCE_STATUSES }: CountInstancesInput,
): readonly Share[] {
  const asked = workflows === undefined ? { status } : { workflows, status };
  const { workflowNames } = parsePairs(context, asked);
  const statuses = [...new Set(status)];
  return toShares(workflowNames, statuses.length).map((share) => ({
    workflowNames: share,
    statuses,
  }));
}

/** All counts in order, including zeros. */
function inOrder(
  { workflowNames, statuses }: Share,
  found: readonly StatusCount[],
): readonly StatusCount[] {
  const countOf = new Map(found.map((one) => [`${one.workflowName} ${one.status}`, one]));
  return workflowNames.flatMap((workflowName) =>
    statuses.map((name) => {
      const { count = 0, isCapped = false } = countOf.get(`${workflowName} ${name}`) ?? {};
      return { workflowName, status: name, count, isCapped };
    }),
  );
}
