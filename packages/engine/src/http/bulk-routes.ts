/**
 * The routes of bulk jobs. Jobs that delete have their own route, because a caller who may control instances may not be allowed to
 * delete them.
 */
import type {
  BulkInput,
  BulkPreview,
  BulkView,
  ListBulksInput,
  ListBulksOutput,
} from "../ports/bulk.ts";
import * as bodies from "./bulk-shapes.ts";
import { defineRoute, type Get, keyed, OVER_ALL, type Post } from "./route.ts";

/** The routes with their types. */
export interface BulkRoutes {
  readonly previewBulk: Post<"/bulk/preview", object, BulkInput, BulkPreview>;
  readonly startBulk: Post<"/bulk", object, bodies.StartBody, BulkView>;
  readonly startBulkDelete: Post<"/bulk/delete", object, bodies.StartDeleteBody, BulkView>;
  readonly listBulks: Get<"/bulk", ListBulksInput, ListBulksOutput>;
  readonly getBulk: Get<"/bulk/:bulkId", object, BulkView>;
  readonly cancelBulk: Post<"/bulk/:bulkId/cancel", object, unknown, BulkView>;
}

const starting = { method: "POST", also: "view", bodyLimit: "single" } as const;

/** The routes by name. */
export const BULK_ROUTES: BulkRoutes = {
  previewBulk: defineRoute({
    ...starting,
    ...OVER_ALL,
    path: "/bulk/preview",
    body: bodies.previewBody,
    handle: (service, { body }) => service.previewBulk(body),
  }),
  startBulk: defineRoute({
    ...starting,
    path: "/bulk",
    policy: "manage",
    body: bodies.startBody,
    handle: (service, { body, idempotencyKey }) =>
      service.startBulk({ ...body, ...keyed(idempotencyKey) }),
  }),
  startBulkDelete: defineRoute({
    ...starting,
    path: "/bulk/delete",
    policy: "delete",
    body: bodies.startDeleteBody,
    handle: (service, { body, idempotencyKey }) =>
      service.startBulk({ ...body, act: "delete", ...keyed(idempotencyKey) }),
  }),
  listBulks: defineRoute({
    ...OVER_ALL,
    method: "GET",
    path: "/bulk",
    query: bodies.listBulksQuery,
    handle: (service, { query }) => service.listBulks(query),
  }),
  getBulk: defineRoute({
    ...OVER_ALL,
    method: "GET",
    path: "/bulk/:bulkId",
    handle: (service, { params }) => service.getBulk(params.bulkId),
  }),
  cancelBulk: defineRoute({
    method: "POST",
    path: "/bulk/:bulkId/cancel",
    policy: "manage",
    also: "view",
    handle: (service, { params }) => service.cancelBulk(params.bulkId),
  }),
};
