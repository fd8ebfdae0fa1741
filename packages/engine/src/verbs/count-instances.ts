/** @module Counts instances over workflows. Loaded with the first count. */
import { assertKnownOptions } from "../core/known-names.ts";
import { INSTANCE_STATUSES, type InstanceStatusName } from "../core/model/status.ts";
import { type StatusCount, toCap } from "../ports/find-instances.ts";
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
  const { workflows, status = INSTANCE_STATUSES } = input;
  const filter = parseFilter(context, input);
  const { workflowNames } = parsePairs(context, {
    status,
    ...(workflows === undefined ? {} : { workflows }),
  });
  const asked = { workflowNames, statuses: [...new Set(status)] };
  if (workflowNames.length === 0) return { counts: [] };
  const found = await context.store.countInstances({ ...asked, ...filter, cap: toCap(asked, cap) });
  return { counts: inOrder(asked, found) };
}

interface Asked {
  readonly workflowNames: readonly string[];
  readonly statuses: readonly InstanceStatusName[];
}

/** All counts in order, including zeros. */
function inOrder(
  { workflowNames, statuses }: Asked,
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
