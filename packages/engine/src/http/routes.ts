/**
 * The HTTP API, as one table. Paths are below the mount path.
 *
 * @source founding spec 000 §11; additions: `Idempotency-Key`, `eventId`, `ifRunNumber`, `onExisting` in create, `skipped` in the batch's answer, `details` in the
 * lifecycle answers, GET for ticks (crons of some platforms can only GET), more fields in a tick's answer
 */
import type { ErrorCode } from "../core/errors.ts";
import type { LifecycleCommand } from "../core/decide/lifecycle.ts";
import type {
  CreateBatchOutput,
  HistoryInput,
  HistoryOutput,
  InstanceStatus,
  InstanceView,
  ListInstancesInput,
  ListInstancesOutput,
  TickOutput,
} from "../ports/service.ts";
import {
  defineRoute,
  type HttpMethod,
  type HttpRoute,
  type Route,
  type RouteInput,
} from "./route.ts";
import * as shapes from "./schemas.ts";

/** Codes that any route may answer with. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  "INVALID_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "STORE_UNAVAILABLE",
  "SCHEMA_MISMATCH",
  "INVARIANT_BROKEN",
];

interface Types<Method extends HttpMethod, Path extends string, Params, Query, Body, Output> {
  readonly method: Method;
  readonly path: Path;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly output: Output;
}
type Workflow = shapes.WorkflowParams;
type Instance = shapes.InstanceParams;
type InstancesPath = "/workflows/:workflowName/instances";
type InstancePath = `${InstancesPath}/:instanceId`;
type ControlRoute<Command extends LifecycleCommand> = Route<
  Types<
    "POST",
    `${InstancePath}/${Command}`,
    Instance,
    shapes.ControlQuery,
    unknown,
    shapes.ControlOutput
  >
>;

/** Every route by name, with its types. */
export interface HttpRoutes {
  readonly listWorkflows: Route<
    Types<"GET", "/workflows", object, object, unknown, shapes.WorkflowList>
  >;
  readonly listInstances: Route<
    Types<"GET", InstancesPath, Workflow, ListInstancesInput, unknown, ListInstancesOutput>
  >;
  readonly createInstance: Route<
    Types<"POST", InstancesPath, Workflow, object, shapes.CreateBody, InstanceView>
  >;
  readonly createBatch: Route<
    Types<
      "POST",
      `${InstancesPath}/batch`,
      Workflow,
      object,
      shapes.CreateBatchBody,
      CreateBatchOutput
    >
  >;
  readonly getInstance: Route<Types<"GET", InstancePath, Instance, object, unknown, InstanceView>>;
  readonly pauseInstance: ControlRoute<"pause">;
  readonly resumeInstance: ControlRoute<"resume">;
  readonly terminateInstance: ControlRoute<"terminate">;
  readonly restartInstance: ControlRoute<"restart">;
  readonly sendEvent: Route<
    Types<"POST", `${InstancePath}/events`, Instance, object, shapes.EventBody, shapes.EventOutput>
  >;
  readonly listHistory: Route<
    Types<"GET", `${InstancePath}/history`, Instance, HistoryInput, unknown, HistoryOutput>
  >;
  readonly tick: Route<
    Types<"POST", "/_runner/tick", object, object, shapes.TickLimits, TickOutput>
  >;
  readonly tickByGet: Route<
    Types<"GET", "/_runner/tick", object, shapes.TickLimits, unknown, TickOutput>
  >;
}

export type RouteName = keyof HttpRoutes;

const nothing = { query: shapes.emptyShape, body: shapes.anyShape, bodyLimit: "none" } as const;
const instanceErrors: readonly ErrorCode[] = [
  "WORKFLOW_NOT_FOUND",
  "INVALID_INSTANCE_ID",
  "INSTANCE_NOT_FOUND",
];
const createErrors: readonly ErrorCode[] = [
  "WORKFLOW_NOT_FOUND",
  "INVALID_INSTANCE_ID",
  "INVALID_PARAMS",
  "INVALID_IDEMPOTENCY_KEY",
  "IDEMPOTENCY_KEY_CONFLICT",
  "PAYLOAD_TOO_LARGE",
  "CROSS_SITE_REQUEST",
];

/** As option of a verb; absent without the header. */
const keyed = (idempotencyKey: string | null): { readonly idempotencyKey?: string } =>
  idempotencyKey === null ? {} : { idempotencyKey };

export const HTTP_ROUTES: HttpRoutes = {
  listWorkflows: defineRoute({
    method: "GET",
    path: "/workflows",
    policy: "read",
    summary: "The workflows that are registered.",
    ...nothing,
    params: shapes.emptyShape,
    output: shapes.workflowList,
    errors: [],
    handle: (service) => ({ workflows: service.listWorkflows() }),
  }),
  listInstances: defineRoute({
    method: "GET",
    path: "/workflows/:workflowName/instances",
    policy: "read",
    summary:
      "Instances of a workflow, newest first, a page at a time: at most 1 MB, large outputs by their size only.",
    ...nothing,
    params: shapes.workflowParams,
    query: shapes.listQuery,
    output: shapes.instanceList,
    errors: ["WORKFLOW_NOT_FOUND", "INVALID_CURSOR"],
    handle: (service, { params, query }) => service.listInstances(params.workflowName, query),
  }),
  createInstance: defineRoute({
    method: "POST",
    path: "/workflows/:workflowName/instances",
    policy: "create",
    summary: "Starts an instance. An existing id is refused; to run it again, restart it.",
    idempotent:
      "the create: with the same params it answers with the instance that the first request made, and without an id the id is made of it",
    params: shapes.workflowParams,
    query: shapes.emptyShape,
    body: shapes.createBody,
    bodyLimit: "single",
    output: shapes.instanceView,
    errors: [...createErrors, "INSTANCE_ID_ALREADY_EXISTS"],
    handle: async (service, { params, body, idempotencyKey, mayRead }) => {
      // Who may not read is told that the id is taken, and nothing of what has it.
      const isHidden = body.onExisting === "return" && !(await mayRead(body.id ?? ""));
      const input = isHidden ? { ...body, onExisting: "error" as const } : body;
      const key = keyed(idempotencyKey);
      const view = await service.createInstance(params.workflowName, { ...input, ...key });
      // Under a key it may be of an earlier request, and have ended.
      if (idempotencyKey === null) return view;
      return { ...view, details: await toReadable(view, mayRead) };
    },
  }),
  createBatch: defineRoute({
    method: "POST",
    path: "/workflows/:workflowName/instances/batch",
    policy: "create",
    summary:
      "Starts up to 100 instances, all or none written. Existing ids are left alone and listed in `skipped` only.",
    params: shapes.workflowParams,
    query: shapes.emptyShape,
    body: shapes.createBatchBody,
    bodyLimit: "batch",
    idempotent: "the batch: what an earlier request created under it counts as created now",
    output: shapes.createBatchOutput,
    errors: [...createErrors, "BATCH_TOO_LARGE"],
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
    path: "/workflows/:workflowName/instances/:instanceId",
    policy: "read",
    summary: "The state of an instance.",
    ...nothing,
    params: shapes.instanceParams,
    output: shapes.instanceView,
    errors: instanceErrors,
    handle: (service, { params }) => service.getInstance(params.workflowName, params.instanceId),
  }),
  pauseInstance: controlRoute("pause", "Pauses an instance at its next step boundary."),
  resumeInstance: controlRoute(
    "resume",
    "Resumes a paused instance, or takes back a pause not yet carried out; otherwise changes nothing.",
  ),
  terminateInstance: controlRoute("terminate", "Ends an instance for good, unless restarted."),
  restartInstance: controlRoute("restart", "Starts a new run; earlier runs are kept."),
  sendEvent: defineRoute({
    method: "POST",
    path: "/workflows/:workflowName/instances/:instanceId/events",
    policy: "events",
    summary: "Sends an event. It is kept until a wait of its type takes it, also while paused.",
    idempotent: "the event, as `eventId` in the body does: it is stored once per run",
    params: shapes.instanceParams,
    query: shapes.emptyShape,
    body: shapes.eventBody,
    bodyLimit: "single",
    output: shapes.eventOutput,
    errors: [
      ...instanceErrors,
      "INSTANCE_TERMINAL",
      "INVALID_EVENT_TYPE",
      "INVALID_EVENT_PAYLOAD",
      "INVALID_IDEMPOTENCY_KEY",
      "PAYLOAD_TOO_LARGE",
      "CROSS_SITE_REQUEST",
      "EVENT_ID_CONFLICT",
      "EVENT_LIMIT",
    ],
    handle: async (service, { params, body, idempotencyKey, mayRead }) => {
      const event = idempotencyKey === null ? body : { eventId: idempotencyKey, ...body };
      const view = await service.sendEvent(params.workflowName, params.instanceId, event);
      return { status: await toReadable(view, mayRead) };
    },
  }),
  listHistory: defineRoute({
    method: "GET",
    path: "/workflows/:workflowName/instances/:instanceId/history",
    policy: "read",
    summary:
      "Steps and events of one run, a page at a time: at most 1 MB, results and payloads above 16 KiB by their size only unless `payloads=full`.",
    ...nothing,
    params: shapes.instanceParams,
    query: shapes.historyQuery,
    output: shapes.historyOutput,
    errors: [...instanceErrors, "INVALID_CURSOR"],
    handle: async (service, { params, query }) => {
      const page = await service.listHistory(params.workflowName, params.instanceId, query);
      // JSON has no undefined: a step without a result would lose the field that its shape promises.
      const steps = page.steps.map((step) => ({ ...step, result: step.result ?? null }));
      const events = page.events.map((event) => ({ ...event, payload: event.payload ?? null }));
      return { ...page, steps, events };
    },
  }),
  tick: defineRoute({
    method: "POST",
    path: "/_runner/tick",
    policy: "tick",
    summary: "One bounded pass of the runner. Safe to call from many places at once.",
    params: shapes.emptyShape,
    query: shapes.emptyShape,
    body: shapes.tickBody,
    bodyLimit: "tick",
    output: shapes.tickOutput,
    errors: ["TICK_DISABLED", "TICK_UNAUTHORIZED", "CROSS_SITE_REQUEST", "PAYLOAD_TOO_LARGE"],
    handle: (service, { body, deadline }) => service.tick({ ...body, deadline }),
  }),
  tickByGet: defineRoute({
    method: "GET",
    path: "/_runner/tick",
    policy: "tick",
    summary: "The same, for crons that can only GET.",
    ...nothing,
    params: shapes.emptyShape,
    query: shapes.tickQuery,
    output: shapes.tickOutput,
    errors: ["TICK_DISABLED", "TICK_UNAUTHORIZED", "CROSS_SITE_REQUEST"],
    handle: (service, { query, deadline }) => service.tick({ ...query, deadline }),
  }),
};

/** The table in order of declaration. */
export function listRoutes(): readonly (readonly [RouteName, HttpRoute])[] {
  return Object.keys(HTTP_ROUTES)
    .filter(isRouteName)
    .map((name) => [name, HTTP_ROUTES[name]]);
}

function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(HTTP_ROUTES, name);
}

function controlRoute<Command extends LifecycleCommand>(
  command: Command,
  summary: string,
): ControlRoute<Command> {
  return defineRoute({
    method: "POST",
    path: `/workflows/:workflowName/instances/:instanceId/${command}`,
    policy: "manage",
    summary,
    ...nothing,
    params: shapes.instanceParams,
    query: shapes.controlQuery,
    idempotent: "the command: sent again, if no other came between, it changes nothing",
    output: shapes.controlOutput,
    errors: [
      ...instanceErrors,
      "CROSS_SITE_REQUEST",
      "INVALID_IDEMPOTENCY_KEY",
      "RUN_NUMBER_MISMATCH",
      ...(command === "pause" || command === "terminate" ? ["INSTANCE_TERMINAL" as const] : []),
    ],
    handle: async (service, { params, query, idempotencyKey, mayRead }) => {
      const options = { ...query, ...keyed(idempotencyKey) };
      const view = await service.control(params.workflowName, params.instanceId, command, options);
      return { ok: true, details: await toReadable(view, mayRead) };
    },
  });
}

/** Output and error are for those who may read the instance. */
async function toReadable(
  { id, details }: InstanceView,
  mayRead: RouteInput["mayRead"],
): Promise<InstanceStatus> {
  const { output: _output, error: _error, ...open } = details;
  const isSecret = "output" in details || "error" in details;
  return isSecret && !(await mayRead(id)) ? open : details;
}
