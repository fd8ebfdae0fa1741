/** @module For adapters: what keeps a process running, as data. */
export {
  demandOption,
  type DeployFile,
  type Deployment,
  deployService,
  type ServiceOptions,
  type ServiceRuntime,
} from "./deploy-service.ts";
