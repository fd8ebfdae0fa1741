/** The routes of bulk jobs. A job that deletes has one of its own, since whoever may steer instances may not remove what they did. */
import type {
  BulkInput,
  BulkPreview,
  BulkView,
  ListBulksInput,
  ListBulksOutput,
} from "../ports/bulk.ts";
import * as bodies from "./bulk-shapes.ts";
import { defineRoute, type Route } from "./route.ts";
import * as shapes from "./schemas.ts";

interface BulkPath {
  readonly bulkId: string;
}

interface Types<Method, Path, Params, Query, Body, Output> {
  readonly method: Method;
  readonly path: Path;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly output: Output;
}

/** With their types. */
export interface BulkRoutes {
  readonly previewBulk: Route<
    Types<"POST", "/bulk/preview", object, object, BulkInput, BulkPreview>
  >;
  readonly startBulk: Route<Types<"POST", "/bulk", object, object, bodies.StartBody, BulkView>>;
  readonly startBulkDelete: Route<
    Types<"POST", "/bulk/delete", object, object, bodies.StartDeleteBody, BulkView>
  >;
  readonly listBulks: Route<
    Types<"GET", "/bulk", object, ListBulksInput, unknown, ListBulksOutput>
  >;
  readonly getBulk: Route<Types<"GET", "/bulk/:bulkId", BulkPath, object, unknown, BulkView>>;
  readonly cancelBulk: Route<
    Types<"POST", "/bulk/:bulkId/cancel", BulkPath, object, unknown, BulkView>
  >;
}

const nothing = { query: shapes.emptyShape, body: shapes.anyShape, bodyLimit: "none" } as const;
const starting = {
  method: "POST",
  also: "view",
  params: shapes.emptyShape,
  query: shapes.emptyShape,
  bodyLimit: "single",
} as const;

const keyed = (idempotencyKey: string | null): { readonly idempotencyKey?: string } =>
  idempotencyKey === null ? {} : { idempotencyKey };

/** By name. */
export const BULK_ROUTES: BulkRoutes = {
  previewBulk: defineRoute({
    ...starting,
    path: "/bulk/preview",
    policy: "view",
    also: "read",
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
    method: "GET",
    path: "/bulk",
    policy: "view",
    also: "read",
    ...nothing,
    params: shapes.emptyShape,
    query: bodies.listBulksQuery,
    handle: (service, { query }) => service.listBulks(query),
  }),
  getBulk: defineRoute({
    method: "GET",
    path: "/bulk/:bulkId",
    policy: "view",
    also: "read",
    ...nothing,
    params: bodies.bulkParams,
    handle: (service, { params }) => service.getBulk(params.bulkId),
  }),
  cancelBulk: defineRoute({
    method: "POST",
    path: "/bulk/:bulkId/cancel",
    policy: "manage",
    also: "view",
    ...nothing,
    params: bodies.bulkParams,
    handle: (service, { params }) => service.cancelBulk(params.bulkId),
  }),
};
