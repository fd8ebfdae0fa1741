/** @module For adapters: what keeps a process running, where it may tick, what is taken unread. */
export { isDailyCron, isPlainCron } from "./cron-expression.ts";
export {
  assertOption,
  type DeployFile,
  type Deployment,
  deployService,
  type ServiceOptions,
  type ServiceRuntime,
} from "./deploy-service.ts";
export {
  type HttpServer,
  type ListenOptions,
  toHttpServer,
  toListenAddress,
} from "./server-handle.ts";
export { createTickPermit, type TickPermit } from "./tick-permit.ts";
