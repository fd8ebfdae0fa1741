/** @module Counting instances over workflows. Loaded with the first count. */
import { assertKnownOptions } from "../core/known-names.ts";
import { INSTANCE_STATUSES, type InstanceStatusName } from "../core/model/status.ts";
import { MAX_BRANCHES, MOST_COUNTED, type StatusCount } from "../ports/find-instances.ts";
import type { CountInstancesInput, CountInstancesOutput } from "../ports/finding-service.ts";
import type { HostContext } from "./context.ts";
import { parseWholeNumber } from "./fields.ts";
import { FILTER_OPTIONS, parseBranches, parseFilter, parsePairs } from "./find-instances.ts";

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
  for (const { workflowNames, statuses } of toShares(context, input))
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

/** What is counted in one trip each. An engine that has more workflows than a trip counts is counted in several, one after another. */
function toShares(
  context: HostContext,
  { workflows, status = INSTANCE_STATUSES }: CountInstancesInput,
): readonly Share[] {
  const { workflowNames } =
    workflows === undefined
      ? parsePairs(context, { status })
      : parseBranches(context, { workflows, status });
  const statuses = [...new Set(status)];
  const size = Math.floor(MAX_BRANCHES / statuses.length);
  return Array.from({ length: Math.ceil(workflowNames.length / size) }, (_, index) => ({
    workflowNames: workflowNames.slice(index * size, (index + 1) * size),
    statuses,
  }));
}

/** Each of them, those too of which there are none. */
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
