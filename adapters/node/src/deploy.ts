/** What it takes to keep a Node process running, as data: nothing is read and nothing is written here. */
import {
  type Deployment,
  deployService,
  type ServiceOptions,
  type ServiceRuntime,
} from "@escapement/engine/deploy";

/** `entry` is `dist/main.js` where it is not given. */
export type DeployOptions = ServiceOptions;

/** The image has the oldest Node line that this package runs on. */
const NODE: ServiceRuntime = {
  command: "node",
  entry: "dist/main.js",
  image: "node:20-slim",
  user: "node",
  lockfile: "package-lock.json",
  install: "npm ci --omit=dev",
};

/**
 * The files and commands of a target. Give it the same options and it gives the same text.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export const deploy = (options: DeployOptions): Deployment => deployService(options, NODE);
