/** The files and commands that keep a Node process running, as data: nothing is read or written here. */
import {
  type Deployment,
  deployService,
  type ServiceOptions,
  type ServiceRuntime,
} from "@escapement/engine/adapter";

/** `entry` is `dist/main.js` by default. */
export type DeployOptions = ServiceOptions;

/** The newest line that the tests run on; Node 20 ended on 2026-04-30, this one ends on 2028-04-30. @source nodejs/Release, schedule.json, 2026-07-02 */
const NODE: ServiceRuntime = {
  command: "node",
  entry: "dist/main.js",
  image: "node:24-slim",
  user: "node",
  lockfile: "package-lock.json",
  install: "npm ci --omit=dev",
};

/**
 * Returns the files and commands of a target, always the same for the same options.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export const deploy = (options: DeployOptions): Deployment => deployService(options, NODE);
