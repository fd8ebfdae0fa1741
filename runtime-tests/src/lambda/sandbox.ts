/**
 * A function in a sandbox as Lambda keeps it: one event at a time, frozen between events, killed at its deadline and
 * started anew for the next event. AWS's own client runs it.
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type RunningServer,
  spawnServer,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import { build } from "esbuild";
import { findRuntime } from "../tools.ts";
import { lambdaClientArguments } from "../vendor-aws.ts";
import { type Outcome, type RuntimeApi, startRuntimeApi } from "./runtime-api.ts";

export interface Life {
  /** How long the sandbox lets an invocation live, in milliseconds. @default Lambda's longest timeout */
  readonly remainingMs?: number;
  /** How long it says that it will. @default the same */
  readonly toldMs?: number;
}

export interface Sandbox {
  /** Events wait for those before them. @throws {TypeError} what the function failed with, or that it was killed */
  readonly invoke: (event: unknown, life?: Life) => Promise<unknown>;
  /** Sandboxes started so far: one more than were killed. */
  readonly starts: () => number;
  readonly pid: () => number;
  readonly stop: () => Promise<void>;
}

export interface SandboxOptions {
  /** Path of the function's module; its export is `handler`. */
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

/** As long as Lambda's longest timeout. */
const MAX_LIFE_MS = 900_000;

interface Running {
  readonly api: RuntimeApi;
  readonly server: RunningServer;
}

/** Starts it, up to its first request for an event. @throws {Error} with the output of a function that does not start */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  let running = await start(options);
  let starts = 1;
  let last: Promise<unknown> = Promise.resolve();
  const run: Sandbox["invoke"] = async (event, { remainingMs = MAX_LIFE_MS, toldMs } = {}) => {
    const outcome = await runOnce(running, event, { remainingMs, toldMs: toldMs ?? remainingMs });
    if (outcome === "killed") {
      await stop(running);
      running = await start(options);
      starts += 1;
      throw new TypeError(`Task timed out after ${remainingMs / 1000} seconds`);
    }
    if ("error" in outcome)
      throw new TypeError(`${outcome.error.errorType}: ${outcome.error.errorMessage}`);
    return outcome.answer;
  };
  return {
    invoke: (event, limits) => {
      const result = last.then(() => run(event, limits));
      last = result.catch(() => undefined);
      return result;
    },
    starts: () => starts,
    pid: () => running.server.pid,
    stop: async () => {
      await last;
      await stop(running);
    },
  };
}

async function runOnce(
  { api, server }: Running,
  event: unknown,
  { remainingMs, toldMs }: Required<Life>,
): Promise<Outcome | "killed"> {
  process.kill(server.pid, "SIGCONT");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const killed = new Promise<"killed">((resolve) => {
    timer = setTimeout(() => resolve("killed"), remainingMs);
  });
  const outcome = await Promise.race([api.send(event, Date.now() + toldMs), killed]);
  clearTimeout(timer);
  if (outcome === "killed") return outcome;
  await api.idle();
  process.kill(server.pid, "SIGSTOP");
  return outcome;
}

async function start(options: SandboxOptions): Promise<Running> {
  const api = await startRuntimeApi();
  let isIdle = false;
  void api.idle().then(() => {
    isIdle = true;
  });
  const server = await spawnClient(options, api, () => isIdle).catch(async (error: unknown) => {
    await api.stop();
    throw error;
  });
  process.kill(server.pid, "SIGSTOP");
  return { api, server };
}

const spawnClient = (
  { file, env }: SandboxOptions,
  api: RuntimeApi,
  isIdle: () => boolean,
): Promise<RunningServer> =>
  spawnServer({
    command: findRuntime("node24") ?? "node",
    args: lambdaClientArguments(),
    env: {
      AWS_LAMBDA_RUNTIME_API: api.host,
      _HANDLER: "index.handler",
      LAMBDA_TASK_ROOT: dirname(file),
      AWS_LAMBDA_FUNCTION_NAME: "orders-tick",
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "512",
      AWS_LAMBDA_LOG_GROUP_NAME: "/aws/lambda/orders-tick",
      AWS_LAMBDA_LOG_STREAM_NAME: "2026/11/21/[$LATEST]0",
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "AKIAEXAMPLE",
      AWS_SECRET_ACCESS_KEY: "example",
      TZ: ":UTC",
      ...env,
    },
    ready: () => Promise.resolve(isIdle()),
  });

async function stop({ api, server }: Running): Promise<void> {
  await server.stop();
  await api.stop();
}

/** Bundles a program of `programs/` as a deployment does, the AWS SDK in chunks of its own. @returns its `index.mjs` */
export async function bundleFunction(
  program: string = "lambda-app",
): Promise<{ readonly file: string; remove(): void }> {
  const directory = temporaryDirectory();
  const entry = fileURLToPath(new URL(`../programs/${program}.ts`, import.meta.url));
  await build({
    entryPoints: { index: entry },
    outdir: directory.path,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    target: "node22",
    platform: "node",
    // Parts of the AWS SDK are CommonJS.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "silent",
  });
  return { file: join(directory.path, "index.mjs"), remove: () => directory.remove() };
}
