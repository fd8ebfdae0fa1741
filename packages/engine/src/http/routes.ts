/**
 * The HTTP API as one table. Paths are below the mount path. The reference text of each route is in `route-reference.ts`.
 *
 * @source founding spec 000 §11; additions: `Idempotency-Key`, `eventId`, `waitMs`, `startAt` and `delay`, `ifRunNumber`,
 * `onExisting` in create, `skipped` in the batch's answer, `details` in the lifecycle answers, GET for ticks (crons of some
 * platforms can only GET), more fields in a tick's answer
 */
import { WorkflowError } from "../core/errors.ts";
import type { LifecycleCommand } from "../core/decide/lifecycle.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { InstanceStatus, InstanceView } from "../ports/instance-views.ts";
import { defineRoute, type HttpRoute, keyed, type RouteInput, waitingBy } from "./route.ts";
import type { ControlRoute, HttpRoutes, RouteName } from "./route-types.ts";
import { INSTANCE_PATH, INSTANCES_PATH, TICK_PATH } from "./mount.ts";
import * as shapes from "./schemas.ts";
import { BULK_ROUTES } from "./bulk-routes.ts";
import { DELETE_ROUTES } from "./delete-route.ts";
import { EXPLAIN_ROUTES } from "./explain-routes.ts";
import { FINDING_ROUTES } from "./finding-routes.ts";
import { OVERVIEW_ROUTES } from "./overview-routes.ts";
import { PROGRESS_ROUTES } from "./progress-routes.ts";
import { TOPIC_ROUTES } from "./topic-routes.ts";

/** Every route of the HTTP API by name: method, path, input and policy. */
export const HTTP_ROUTES: HttpRoutes = {
  listWorkflows: defineRoute({
    method: "GET",
    path: "/workflows",
    policy: "read",
    handle: (service) => ({ workflows: service.listWorkflows() }),
  }),
  listInstances: defineRoute({
    method: "GET",
    path: INSTANCES_PATH,
    policy: "read",
    query: shapes.listQuery,
    handle: (service, { params, query }) => service.listInstances(params.workflowName, query),
  }),
  createInstance: defineRoute({
    method: "POST",
    path: INSTANCES_PATH,
    policy: "create",
    query: shapes.waitQuery,
    body: shapes.createBody,
    bodyLimit: "single",
    handle: async (service, { params, query, body, idempotencyKey, signal, mayRead }) => {
      // A caller who may not read learns that the id is taken, and nothing about the instance that has it.
      const isHidden = body.onExisting === "return" && !(await mayRead(body.id ?? ""));
      const input = isHidden ? { ...body, onExisting: "error" as const } : body;
      const key = keyed(idempotencyKey);
      const { workflowName } = params;
      const created = await service.createInstance(workflowName, { ...input, ...key });
      // With a key, the instance may be from an earlier request, and may have ended.
      if (idempotencyKey === null && !query.waitMs) return created;
      const view = query.waitMs
        ? await service.getInstance(workflowName, created.id, waitingBy(query, signal))
        : created;
      return { ...view, details: await toReadable(view, mayRead) };
    },
  }),
  createBatch: defineRoute({
    method: "POST",
    path: `${INSTANCES_PATH}/batch`,
    policy: "create",
    body: shapes.createBatchBody,
    bodyLimit: "batch",
    handle: async (service, { params, body, idempotencyKey, mayRead }) => {
      const key = keyed(idempotencyKey);
      const batch = await service.createBatch(params.workflowName, body.instances, key);
      if (idempotencyKey === null) return batch;
      const shown = batch.instances.map(async (view) => ({
        ...view,
        details: await toReadable(view, mayRead),
      }));
      return { ...batch, instances: await Promise.all(shown) };
    },
  }),
  getInstance: defineRoute({
    method: "GET",
    path: INSTANCE_PATH,
    policy: "read",
    query: shapes.waitQuery,
    handle: (service, { params, query, signal }) =>
      service.getInstance(params.workflowName, params.instanceId, waitingBy(query, signal)),
  }),
  ...DELETE_ROUTES,
  ...EXPLAIN_ROUTES,
  pauseInstance: controlRoute("pause"),
  resumeInstance: controlRoute("resume"),
  cancelInstance: controlRoute("cancel"),
  terminateInstance: controlRoute("terminate"),
  restartInstance: controlRoute("restart"),
  retryInstance: controlRoute("retry"),
  restartOrCreateInstance: defineRoute({
    method: "POST",
    path: `${INSTANCE_PATH}/restart-or-create`,
    policy: "manage",
    also: "create",
    query: shapes.controlQuery,
    body: shapes.restartOrCreateBody,
    bodyLimit: "single",
    handle: async (service, { params, query, body, idempotencyKey, mayRead }) => {
      const input = { ...body, ...query, ...keyed(idempotencyKey), id: params.instanceId };
      const view = await service.restartOrCreate(params.workflowName, input);
      return { ...view, details: await toReadable(view, mayRead) };
    },
  }),
  rewindInstance: defineRoute({
    method: "POST",
    path: `${INSTANCE_PATH}/rewind`,
    policy: "manage",
    query: shapes.controlQuery,
    body: shapes.rewindBody,
    bodyLimit: "single",
    handle: async (service, { params, query, body, idempotencyKey, mayRead }) => {
      const { workflowName, instanceId } = params;
      const { step, ...conditions } = body;
      const options = { ...conditions, ...query, ...keyed(idempotencyKey) };
      const view = await service.rewind(workflowName, instanceId, step, options);
      return { ok: true, details: await toReadable(view, mayRead) };
    },
  }),
  forkInstance: defineRoute({
    method: "POST",
    path: `${INSTANCE_PATH}/fork`,
    policy: "manage",
    also: "create",
    query: shapes.controlQuery,
    body: shapes.forkBody,
    bodyLimit: "single",
    handle: async (service, { params, query, body, idempotencyKey, mayRead, maySeePayloads }) => {
      const { workflowName, instanceId } = params;
      // Readers of the fork see what the original instance did, so the caller must be allowed to read the original.
      if (!(await mayRead(instanceId)))
        throw new WorkflowError(
          "FORBIDDEN",
          "to fork an instance, you must be allowed to read it",
          {},
        );
      if (!(await maySeePayloads(instanceId)) && (await maySeePayloads(body.id ?? ""))) {
        const words = "to see a fork's payloads, you must be allowed to see those of the instance";
        throw new WorkflowError("FORBIDDEN", words, {});
      }
      const { step, ...create } = body;
      const options = { ...create, ...query, ...keyed(idempotencyKey) };
      const view = await service.fork(workflowName, instanceId, step, options);
      return { ...view, details: await toReadable(view, mayRead) };
    },
  }),
  updateInstance: defineRoute({
    method: "POST",
    path: `${INSTANCE_PATH}/update`,
    policy: "manage",
    query: shapes.controlQuery,
    body: shapes.updateBody,
    bodyLimit: "single",
    handle: async (service, { params, query, body, idempotencyKey, mayRead }) => {
      const options = { ...body, ...query, ...keyed(idempotencyKey) };
      const view = await service.update(params.workflowName, params.instanceId, options);
      return { ok: true, details: await toReadable(view, mayRead) };
    },
  }),
  sendEvent: defineRoute({
    method: "POST",
    path: `${INSTANCE_PATH}/events`,
    policy: "events",
    query: shapes.preconditionsQuery,
    body: shapes.eventBody,
    bodyLimit: "single",
    handle: async (service, { params, query, body, idempotencyKey, mayRead }) => {
      const identified = idempotencyKey === null ? {} : { eventId: idempotencyKey };
      const event = { ...identified, ...body, ...query };
      const view = await service.sendEvent(params.workflowName, params.instanceId, event);
      return { status: await toReadable(view, mayRead) };
    },
  }),
  getReply: defineRoute({
    method: "GET",
    path: `${INSTANCE_PATH}/events/:eventId/reply`,
    policy: "read",
    query: shapes.replyQuery,
    handle: (service, { params: { workflowName, instanceId, eventId }, query, signal }) =>
      service.getReply(workflowName, instanceId, eventId, waitingBy(query, signal)),
  }),
  ...FINDING_ROUTES,
  ...OVERVIEW_ROUTES,
  ...BULK_ROUTES,
  ...TOPIC_ROUTES,
  completeCallback: defineRoute({
    method: "POST",
    path: "/callbacks/:token",
    policy: "callback",
    body: shapes.callbackBody,
    bodyLimit: "single",
    handle: async (service, { params, body }) => {
      await service.completeCallback(params.token, body);
      return { ok: true };
    },
  }),
  listHistory: defineRoute({
    method: "GET",
    path: `${INSTANCE_PATH}/history`,
    policy: "read",
    query: shapes.historyQuery,
    handle: async (service, { params, query }) => {
      const page = await service.listHistory(params.workflowName, params.instanceId, query);
      // JSON has no undefined, so a step without a result would lose a field that its shape requires.
      const steps = page.steps.map((step) => ({ ...step, result: step.result ?? null }));
      const events = page.events.map((event) => ({ ...event, payload: event.payload ?? null }));
      return { ...page, steps, events };
    },
  }),
  ...PROGRESS_ROUTES,
  tick: defineRoute({
    method: "POST",
    path: TICK_PATH,
    policy: "tick",
    body: shapes.tickBody,
    bodyLimit: "tick",
    handle: (service, { body, deadline }) => service.tick({ ...body, deadline }),
  }),
  tickByGet: defineRoute({
    method: "GET",
    path: TICK_PATH,
    policy: "tick",
    query: shapes.tickQuery,
    handle: (service, { query, deadline }) => service.tick({ ...query, deadline }),
  }),
};

/** The routes in the order of their declaration. */
export function listRoutes(): readonly (readonly [RouteName, HttpRoute])[] {
  return Object.keys(HTTP_ROUTES)
    .filter(isRouteName)
    .map((name) => [name, HTTP_ROUTES[name]]);
}

function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(HTTP_ROUTES, name);
}

function controlRoute<Command extends LifecycleCommand>(command: Command): ControlRoute<Command> {
  return defineRoute({
    method: "POST",
    path: `${INSTANCE_PATH}/${command}`,
    policy: "manage",
    query: shapes.controlQuery,
    handle: async (service, { params, query, idempotencyKey, mayRead }) => {
      // The compiler cannot read names from a path that depends on the command.
      const { workflowName, instanceId } = params as InstanceRef;
      const options = { ...query, ...keyed(idempotencyKey) };
      const view = await service.control(workflowName, instanceId, command, options);
      return { ok: true, details: await toReadable(view, mayRead) };
    },
  });
}

/** Output, error, tags and memo are only for callers who may read the instance. */
async function toReadable(
  { id, details }: InstanceView,
  mayRead: RouteInput["mayRead"],
): Promise<InstanceStatus> {
  const { output: _output, error: _error, tags: _tags, memo: _memo, ...open } = details;
  const isSecret = ["output", "error", "tags", "memo"].some((name) => name in details);
  return isSecret && !(await mayRead(id)) ? open : details;
}
