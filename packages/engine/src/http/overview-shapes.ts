/** Shapes of the answers of the overview routes. */
import {
  array,
  boolean,
  exactOptional,
  nullable,
  number,
  picklist,
  strictObject,
  string,
} from "valibot";
import { INSTANCE_STATUSES } from "../core/model/status.ts";
import type {
  ActivityOutput,
  ListCallbacksOutput,
  ListLeasesOutput,
} from "../ports/overview-service.ts";
import type { Shape } from "./value-shapes.ts";

const spread = strictObject({ median: number(), p95: number(), longest: number() });

export const activity: Shape<ActivityOutput> = strictObject({
  now: number(),
  bucketMs: number(),
  buckets: array(
    strictObject({
      at: number(),
      created: number(),
      complete: number(),
      errored: number(),
      terminated: number(),
      started: number(),
      waitMs: nullable(spread),
      waitsEnded: number(),
      latenessMs: nullable(spread),
    }),
  ),
  due: array(
    strictObject({
      workflowName: string(),
      count: number(),
      isCapped: boolean(),
      oldestAt: number(),
    }),
  ),
  lookedFrom: exactOptional(number()),
});
export const leases: Shape<ListLeasesOutput> = strictObject({
  now: number(),
  runners: array(
    strictObject({
      runner: nullable(string()),
      leaseCount: number(),
      overdueCount: number(),
      firstUntil: number(),
      lastUntil: number(),
    }),
  ),
  leases: array(
    strictObject({
      workflowName: string(),
      id: string(),
      runNumber: number(),
      runner: nullable(string()),
      until: number(),
      isOverdue: boolean(),
      lostCount: number(),
    }),
  ),
  isCapped: boolean(),
});
export const callbacks: Shape<ListCallbacksOutput> = strictObject({
  callbacks: array(
    strictObject({
      workflowName: string(),
      id: string(),
      runNumber: number(),
      status: picklist(INSTANCE_STATUSES),
      stepKey: string(),
      name: string(),
      createdAt: number(),
      wakeAt: nullable(number()),
    }),
  ),
  cursor: exactOptional(string()),
  hasNextPage: boolean(),
  isIncomplete: boolean(),
});
