/** The types of the HTTP API's routes. */
import type { LifecycleCommand } from "../core/decide/lifecycle.ts";
import type {
  HistoryInput,
  HistoryOutput,
  InstanceView,
  ListInstancesInput,
  ListInstancesOutput,
} from "../ports/instance-views.ts";
import type { ReplyOutput } from "../ports/event-inputs.ts";
import type { RestartOrCreateOutput } from "../ports/command-options.ts";
import type { CreateBatchOutput } from "../ports/create-inputs.ts";
import type { TickOutput } from "../ports/tick.ts";
import type * as answers from "./answer-shapes.ts";
import type { TICK_PATH } from "./mount.ts";
import type { HttpMethod, Route } from "./route.ts";
import type * as shapes from "./schemas.ts";
import type { BulkRoutes } from "./bulk-routes.ts";
import type { DeleteRoutes } from "./delete-route.ts";
import type { ExplainRoutes } from "./explain-routes.ts";
import type { FindingRoutes } from "./finding-routes.ts";
import type { OverviewRoutes } from "./overview-routes.ts";
import type { ProgressRoutes } from "./progress-routes.ts";
import type { TopicRoutes } from "./topic-routes.ts";

/** Path of a workflow's instances. */
export type InstancesPath = "/workflows/:workflowName/instances";
/** Path of an instance. */
export type InstancePath = `${InstancesPath}/:instanceId`;

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
/** A route that gives an instance a command. */
export type ControlRoute<Command extends LifecycleCommand> = Route<
  Types<
    "POST",
    `${InstancePath}/${Command}`,
    Instance,
    shapes.ControlQuery,
    unknown,
    answers.ControlOutput
  >
>;

/** Every route by name, with its types. */
export interface HttpRoutes
  extends
    TopicRoutes,
    ProgressRoutes,
    FindingRoutes,
    OverviewRoutes,
    BulkRoutes,
    DeleteRoutes,
    ExplainRoutes {
  readonly listWorkflows: Route<
    Types<"GET", "/workflows", object, object, unknown, answers.WorkflowList>
  >;
  readonly listInstances: Route<
    Types<"GET", InstancesPath, Workflow, ListInstancesInput, unknown, ListInstancesOutput>
  >;
  readonly createInstance: Route<
    Types<"POST", InstancesPath, Workflow, shapes.WaitQuery, shapes.CreateBody, InstanceView>
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
  readonly getInstance: Route<
    Types<"GET", InstancePath, Instance, shapes.WaitQuery, unknown, InstanceView>
  >;
  readonly pauseInstance: ControlRoute<"pause">;
  readonly resumeInstance: ControlRoute<"resume">;
  readonly cancelInstance: ControlRoute<"cancel">;
  readonly terminateInstance: ControlRoute<"terminate">;
  readonly restartInstance: ControlRoute<"restart">;
  readonly retryInstance: ControlRoute<"retry">;
  readonly restartOrCreateInstance: Route<
    Types<
      "POST",
      `${InstancePath}/restart-or-create`,
      Instance,
      shapes.ControlQuery,
      shapes.RestartOrCreateBody,
      RestartOrCreateOutput
    >
  >;
  readonly rewindInstance: Route<
    Types<
      "POST",
      `${InstancePath}/rewind`,
      Instance,
      shapes.ControlQuery,
      shapes.RewindBody,
      answers.ControlOutput
    >
  >;
  readonly forkInstance: Route<
    Types<
      "POST",
      `${InstancePath}/fork`,
      Instance,
      shapes.ControlQuery,
      shapes.ForkBody,
      InstanceView
    >
  >;
  readonly updateInstance: Route<
    Types<
      "POST",
      `${InstancePath}/update`,
      Instance,
      shapes.ControlQuery,
      shapes.UpdateBody,
      answers.ControlOutput
    >
  >;
  readonly sendEvent: Route<
    Types<"POST", `${InstancePath}/events`, Instance, object, shapes.EventBody, answers.EventOutput>
  >;
  readonly getReply: Route<
    Types<
      "GET",
      `${InstancePath}/events/:eventId/reply`,
      shapes.EventParams,
      shapes.ReplyQuery,
      unknown,
      ReplyOutput
    >
  >;
  readonly completeCallback: Route<
    Types<
      "POST",
      "/callbacks/:token",
      shapes.TokenParams,
      object,
      shapes.CallbackBody,
      answers.Done
    >
  >;
  readonly listHistory: Route<
    Types<"GET", `${InstancePath}/history`, Instance, HistoryInput, unknown, HistoryOutput>
  >;
  readonly tick: Route<
    Types<"POST", typeof TICK_PATH, object, object, shapes.TickLimits, TickOutput>
  >;
  readonly tickByGet: Route<
    Types<"GET", typeof TICK_PATH, object, shapes.TickLimits, unknown, TickOutput>
  >;
}

/** Names of the routes of the HTTP API. */
export type RouteName = keyof HttpRoutes;
