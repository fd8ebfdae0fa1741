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
import type { INSTANCE_PATH, INSTANCES_PATH, TICK_PATH } from "./mount.ts";
import type { Get, Post } from "./route.ts";
import type * as shapes from "./schemas.ts";
import type { BulkRoutes } from "./bulk-routes.ts";
import type { DeleteRoutes } from "./delete-route.ts";
import type { ExplainRoutes } from "./explain-routes.ts";
import type { FindingRoutes } from "./finding-routes.ts";
import type { OverviewRoutes } from "./overview-routes.ts";
import type { ProgressRoutes } from "./progress-routes.ts";
import type { TopicRoutes } from "./topic-routes.ts";

type Instances = typeof INSTANCES_PATH;
type Instance = typeof INSTANCE_PATH;

/** A route that gives an instance a command. */
export type ControlRoute<Command extends LifecycleCommand> = Post<
  `${Instance}/${Command}`,
  shapes.ControlQuery,
  unknown,
  answers.ControlOutput
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
  readonly listWorkflows: Get<"/workflows", object, answers.WorkflowList>;
  readonly listInstances: Get<Instances, ListInstancesInput, ListInstancesOutput>;
  readonly createInstance: Post<Instances, shapes.WaitQuery, shapes.CreateBody, InstanceView>;
  readonly createBatch: Post<
    `${Instances}/batch`,
    object,
    shapes.CreateBatchBody,
    CreateBatchOutput
  >;
  readonly getInstance: Get<Instance, shapes.WaitQuery, InstanceView>;
  readonly pauseInstance: ControlRoute<"pause">;
  readonly resumeInstance: ControlRoute<"resume">;
  readonly cancelInstance: ControlRoute<"cancel">;
  readonly terminateInstance: ControlRoute<"terminate">;
  readonly restartInstance: ControlRoute<"restart">;
  readonly retryInstance: ControlRoute<"retry">;
  readonly restartOrCreateInstance: Post<
    `${Instance}/restart-or-create`,
    shapes.ControlQuery,
    shapes.RestartOrCreateBody,
    RestartOrCreateOutput
  >;
  readonly rewindInstance: Post<
    `${Instance}/rewind`,
    shapes.ControlQuery,
    shapes.RewindBody,
    answers.ControlOutput
  >;
  readonly forkInstance: Post<
    `${Instance}/fork`,
    shapes.ControlQuery,
    shapes.ForkBody,
    InstanceView
  >;
  readonly updateInstance: Post<
    `${Instance}/update`,
    shapes.ControlQuery,
    shapes.UpdateBody,
    answers.ControlOutput
  >;
  readonly sendEvent: Post<
    `${Instance}/events`,
    shapes.PreconditionsQuery,
    shapes.EventBody,
    answers.EventOutput
  >;
  readonly getReply: Get<`${Instance}/events/:eventId/reply`, shapes.ReplyQuery, ReplyOutput>;
  readonly completeCallback: Post<"/callbacks/:token", object, shapes.CallbackBody, answers.Done>;
  readonly listHistory: Get<`${Instance}/history`, HistoryInput, HistoryOutput>;
  readonly tick: Post<typeof TICK_PATH, object, shapes.TickLimits, TickOutput>;
  readonly tickByGet: Get<typeof TICK_PATH, shapes.TickLimits, TickOutput>;
}

/** Names of the routes of the HTTP API. */
export type RouteName = keyof HttpRoutes;
