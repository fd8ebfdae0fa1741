/** The files and commands that keep a Bun process running, as data: nothing is read or written here. */
import {
  type Deployment,
  deployService,
  type ServiceOptions,
  type ServiceRuntime,
} from "@escapement/engine/adapter";

/** `entry` is `src/main.ts` by default, because Bun runs TypeScript directly. */
export type DeployOptions = ServiceOptions;

/** @source bun.com/docs/guides/ecosystem/docker: image, user and install; read 2026-11-21 */
const BUN: ServiceRuntime = {
  command: "bun",
  entry: "src/main.ts",
  image: "oven/bun:1-slim",
  user: "bun",
  lockfile: "bun.lock",
  install: "bun install --frozen-lockfile --production",
};

/**
 * Returns the files and commands of a target, always the same for the same options.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export const deploy = (options: DeployOptions): Deployment => deployService(options, BUN);
