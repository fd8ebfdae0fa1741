/** Shapes of what the routes of bulk jobs take and return. */
import {
  array,
  boolean,
  exactOptional,
  nullable,
  number,
  object,
  picklist,
  record,
  strictObject,
  string,
} from "valibot";
import type { BulkAct } from "../core/bulk.ts";
import { INSTANCE_STATUSES } from "../core/model/status.ts";
import type {
  BulkInput,
  BulkPreview,
  BulkView,
  ListBulksInput,
  ListBulksOutput,
  StartBulkInput,
} from "../ports/bulk.ts";
import type { InstancesInput } from "../ports/finding-service.ts";
import { integerText, type Shape } from "./value-shapes.ts";

export interface StartBody extends Omit<StartBulkInput, "act" | "idempotencyKey"> {
  readonly act: Exclude<BulkAct, "delete">;
}
export type StartDeleteBody = Omit<StartBulkInput, "act" | "idempotencyKey">;

const status = picklist(INSTANCE_STATUSES);
const STEERING = ["retry", "restart", "pause", "resume", "cancel", "terminate"] as const;
const act = picklist([...STEERING, "delete"]);

/** Like the filters of a query, but with JSON's lists, numbers and booleans. */
const filter = {
  workflows: exactOptional(array(string())),
  status: exactOptional(array(status)),
  tag: exactOptional(string()),
  idPrefix: exactOptional(string()),
  errorCode: exactOptional(string()),
  createdFrom: exactOptional(number()),
  createdBefore: exactOptional(number()),
  updatedFrom: exactOptional(number()),
  updatedBefore: exactOptional(number()),
  parent: exactOptional(strictObject({ workflowName: string(), instanceId: string() })),
  stuck: exactOptional(boolean()),
};

export const previewBody: Shape<BulkInput> = strictObject({ act, ...filter });
export const startBody: Shape<StartBody> = strictObject({
  act: picklist(STEERING),
  ...filter,
  id: exactOptional(string()),
});
export const startDeleteBody: Shape<StartDeleteBody> = strictObject({
  ...filter,
  id: exactOptional(string()),
});
export const listBulksQuery: Shape<ListBulksInput> = object({
  pageSize: exactOptional(integerText(1, 100)),
  cursor: exactOptional(string()),
});

export const bulkPreview: Shape<BulkPreview> = strictObject({
  act,
  count: number(),
  isCapped: boolean(),
  refusedCount: number(),
  counts: array(
    strictObject({ workflowName: string(), status, count: number(), isCapped: boolean() }),
  ),
  samples: array(
    strictObject({ workflowName: string(), id: string(), status, refusal: nullable(string()) }),
  ),
});
const progress = strictObject({
  total: nullable(number()),
  isCapped: boolean(),
  done: number(),
  refused: number(),
  refusedByCode: record(string(), number()),
  left: nullable(number()),
  refusals: array(strictObject({ workflowName: string(), id: string(), code: string() })),
});
const said: Shape<InstancesInput> = strictObject(filter);
export const bulkView: Shape<BulkView> = strictObject({
  id: string(),
  act,
  filter: said,
  status,
  startedAt: number(),
  updatedAt: number(),
  progress,
  error: exactOptional(strictObject({ name: string(), message: string() })),
});
export const bulkList: Shape<ListBulksOutput> = strictObject({
  bulks: array(bulkView),
  cursor: exactOptional(string()),
  hasNextPage: boolean(),
});
