/** @module For adapters: what keeps a process running, as data, and what platforms take unread. */
export { isDailyCron, isPlainCron } from "./cron-expression.ts";
export {
  demandOption,
  type DeployFile,
  type Deployment,
  deployService,
  type ServiceOptions,
  type ServiceRuntime,
} from "./deploy-service.ts";
