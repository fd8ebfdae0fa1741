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
      "What a bulk job would do, without doing it: how many instances it would meet, by workflow and status and up to a cap, the newest of them, and how many it would refuse.",
    output: bulks.bulkPreview,
    errors: bulkErrors,
  },
  startBulk: {
    summary:
      "Begins a bulk job: a command for every instance that is there and matches. One thing at least has to be said of the instances; without `status`, those that the act can be done to.",
    idempotent: "the job: the same request begins it once",
    output: bulks.bulkView,
    errors: startBulkErrors,
  },
  startBulkDelete: {
    summary: "As `startBulk`, and deletes instances that have ended.",
    idempotent: "the job: the same request begins it once",
    output: bulks.bulkView,
    errors: startBulkErrors,
  },
  listBulks: {
    summary: "Bulk jobs, newest first, with how far each has come.",
    output: bulks.bulkList,
    errors: ["BULK_DISABLED", "INVALID_CURSOR"],
  },
  getBulk: {
    summary: "A bulk job, and how far it has come.",
    output: bulks.bulkView,
    errors: ["BULK_DISABLED", "INVALID_INSTANCE_ID", "INSTANCE_NOT_FOUND"],
  },
  cancelBulk: {
    summary: "Ends a bulk job behind the chunk that it is at. What is done stays done.",
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
