/**
 * The HTTP API, as one table. Paths are below the mount path.
 *
 * @source founding spec 000 §11; additions: `onExisting` in create, `skipped` in the batch's answer, `details` in the
 * lifecycle answers, GET for ticks (crons of some platforms can only GET), more fields in a tick's answer
 */
import type { ErrorCode } from "../core/errors.ts";
import type { LifecycleCommand } from "../core/decide/lifecycle.ts";
import type {
  CreateBatchOutput,
  CreateInstanceInput,
  HistoryInput,
  HistoryOutput,
  InstanceView,
  ListInstancesInput,
  ListInstancesOutput,
  TickOutput,
} from "../ports/service.ts";
import { defineRoute, type HttpMethod, type HttpRoute, type Route } from "./route.ts";
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
  Types<"POST", `${InstancePath}/${Command}`, Instance, object, unknown, shapes.ControlOutput>
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
    Types<"POST", InstancesPath, Workflow, object, CreateInstanceInput, InstanceView>
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
  "PAYLOAD_TOO_LARGE",
];

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
    summary: "Instances of a workflow, newest first, a page at a time.",
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
    params: shapes.workflowParams,
    query: shapes.emptyShape,
    body: shapes.createBody,
    bodyLimit: "single",
    output: shapes.instanceView,
    errors: [...createErrors, "INSTANCE_ID_ALREADY_EXISTS"],
    handle: (service, { params, body }) => service.createInstance(params.workflowName, body),
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
    output: shapes.createBatchOutput,
    errors: [...createErrors, "BATCH_TOO_LARGE"],
    handle: (service, { params, body }) => service.createBatch(params.workflowName, body.instances),
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
  resumeInstance: controlRoute("resume", "Resumes a paused instance; otherwise changes nothing."),
  terminateInstance: controlRoute("terminate", "Ends an instance for good, unless restarted."),
  restartInstance: controlRoute("restart", "Starts a new run; earlier runs are kept."),
  sendEvent: defineRoute({
    method: "POST",
    path: "/workflows/:workflowName/instances/:instanceId/events",
    policy: "events",
    summary: "Sends an event. It is kept until a wait of its type takes it, also while paused.",
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
      "PAYLOAD_TOO_LARGE",
    ],
    handle: async (service, { params, body }) => {
      const view = await service.sendEvent(params.workflowName, params.instanceId, body);
      return { status: view.details };
    },
  }),
  listHistory: defineRoute({
    method: "GET",
    path: "/workflows/:workflowName/instances/:instanceId/history",
    policy: "read",
    summary: "Steps and events of one run, with full results, a page at a time.",
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
    errors: ["TICK_DISABLED", "TICK_UNAUTHORIZED", "PAYLOAD_TOO_LARGE"],
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
    errors: ["TICK_DISABLED", "TICK_UNAUTHORIZED"],
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
    output: shapes.controlOutput,
    errors: [
      ...instanceErrors,
      ...(command === "pause" || command === "terminate" ? ["INSTANCE_TERMINAL" as const] : []),
    ],
    handle: async (service, { params }) => {
      const view = await service.control(params.workflowName, params.instanceId, command);
      return { ok: true, details: view.details };
    },
  });
}
