/** Reference texts for the routes of bulk jobs: part of `route-reference.ts`. */
import type { ErrorCode } from "../core/error-codes.ts";
import type { BulkRoutes } from "./bulk-routes.ts";
import * as bulks from "./bulk-shapes.ts";
import { filterErrors, type ReferenceOf } from "./reference-entry.ts";

const bulkErrors: readonly ErrorCode[] = [...filterErrors, "PAYLOAD_TOO_LARGE"];
const startBulkErrors: readonly ErrorCode[] = [
  ...bulkErrors,
  "CROSS_SITE_REQUEST",
  "BULK_DISABLED",
  "INVALID_IDEMPOTENCY_KEY",
  "IDEMPOTENCY_KEY_CONFLICT",
  "INSTANCE_ID_ALREADY_EXISTS",
];

export const BULK_REFERENCE: ReferenceOf<keyof BulkRoutes> = {
  previewBulk: {
    summary:
      "Previews a bulk job without starting it: how many instances it would visit, by workflow and status and up to a cap, the newest of them, and how many it would refuse.",
    output: bulks.bulkPreview,
    errors: bulkErrors,
  },
  startBulk: {
    summary:
      "Starts a bulk job: one command for every existing instance that matches. At least one filter is required. Without `status`, it takes the instances that the action applies to.",
    idempotent: "the job: a repeat of the same request does not start a second one",
    output: bulks.bulkView,
    errors: startBulkErrors,
  },
  startBulkDelete: {
    summary: "Like `startBulk`, but deletes instances that have ended.",
    idempotent: "the job: a repeat of the same request does not start a second one",
    output: bulks.bulkView,
    errors: startBulkErrors,
  },
  listBulks: {
    summary: "Bulk jobs, newest first, with their progress.",
    output: bulks.bulkList,
    errors: ["BULK_DISABLED", "INVALID_CURSOR"],
  },
  getBulk: {
    summary: "A bulk job and its progress.",
    output: bulks.bulkView,
    errors: ["BULK_DISABLED", "INVALID_INSTANCE_ID", "INSTANCE_NOT_FOUND"],
  },
  cancelBulk: {
    summary: "Ends a bulk job after its current chunk. What it has done stays done.",
    output: bulks.bulkView,
    errors: [
      "BULK_DISABLED",
      "INVALID_INSTANCE_ID",
      "INSTANCE_NOT_FOUND",
      "INSTANCE_TERMINAL",
      "CROSS_SITE_REQUEST",
    ],
  },
};
