/** Starts a platform's process on a database, kills it as a power cut would, and drains it as a deployment would. */
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { findFreePort, type RunningServer, spawnServer } from "@escapement-internal/test-servers";
import { build } from "esbuild";
import { findRuntime } from "../../../runtime-tests/src/tools.ts";
import { CLOUD_BEARER, type CloudJob, type CloudName } from "./cloud-job.ts";
import { createLambdaService } from "./lambda-service.ts";

/** One platform, and its process while there is one. */
export interface Cloud {
  /** Process ids so far; the last one is that of the process that runs. */
  readonly pids: readonly number[];
  /** Starts its process. */
  start(): Promise<void>;
  /** SIGKILL; resolves when the process has gone. */
  kill(): Promise<void>;
  /** Tells it to end in order, and waits until it has. @throws {TypeError} when it did not say that it has */
  drain(): Promise<void>;
  /** Removes what there is of it. */
  remove(): Promise<void>;
}

/** What stands for the platform around the process. */
interface Surroundings {
  /** Called once the process is ready. */
  readonly begin: () => void;
  /** Called before the process is told to end; resolves when it may be. */
  readonly end: () => Promise<void>;
  /** The process has gone. */
  readonly gone: () => void;
  /** By itself, at SIGTERM, and saying so; else it is frozen and thrown away. */
  readonly endsBySignal: boolean;
  readonly close: () => Promise<void>;
}

const NOTHING_AROUND: Surroundings = {
  begin: () => undefined,
  end: () => Promise.resolve(),
  gone: () => undefined,
  endsBySignal: true,
  close: () => Promise.resolve(),
};

/** Bundles the cloud's program; its process starts with `start`. */
export async function openCloud(name: CloudName, job: Omit<CloudJob, "port">): Promise<Cloud> {
  const port = await findFreePort();
  const file = await bundle(name);
  const around = await surround(name, port);
  const pids: number[] = [];
  let readOutput = (): string => "";
  let running: RunningServer | null = null;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    await running?.stop(signal);
    running = null;
    around.gone();
  };
  return {
    pids,
    async start() {
      running = await spawnServer({
        ...commandOf(name, file, JSON.stringify({ ...job, port })),
        env: { DENO_NO_UPDATE_CHECK: "1" },
        readyTimeoutMs: 60_000,
        ready: (output) => {
          readOutput = output;
          return Promise.resolve(output().includes("ready\n"));
        },
      });
      pids.push(running.pid);
      around.begin();
    },
    kill: () => stop("SIGKILL"),
    async drain() {
      await around.end();
      await stop(around.endsBySignal ? "SIGTERM" : "SIGKILL");
      if (around.endsBySignal && !readOutput().includes("drained\n"))
        throw new TypeError(`${name} did not end in order:\n${readOutput()}`);
    },
    async remove() {
      await stop("SIGKILL");
      await around.close();
    },
  };
}

/** Node and Lambda run in the Node of the tests. */
function commandOf(
  name: CloudName,
  file: string,
  job: string,
): { readonly command: string; readonly args: readonly string[] } {
  if (name !== "bun" && name !== "deno") return { command: process.execPath, args: [file, job] };
  const command = findRuntime(name) ?? name;
  const flags = name === "bun" ? [] : ["--allow-all", "--no-config", "--unstable-cron"];
  return { command, args: ["run", ...flags, file, job] };
}

const surround = async (name: CloudName, port: number): Promise<Surroundings> => {
  if (name === "deno") return tickOverHttp(`http://127.0.0.1:${port}/api/workflows/_runner/tick`);
  if (name !== "aws-lambda") return NOTHING_AROUND;
  const { server, ...service } = createLambdaService();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return { ...service, endsBySignal: false };
};

/** Deno's cron comes once a minute; here somebody else asks for ticks all the time, one after another. */
function tickOverHttp(url: string): Surroundings {
  const headers = { authorization: `Bearer ${CLOUD_BEARER}`, "content-type": "application/json" };
  let timer: NodeJS.Timeout | undefined;
  const tick = async (): Promise<void> => {
    // A process that is killed does not answer.
    const answer = await fetch(url, { method: "POST", headers, body: "{}" }).catch(() => null);
    await answer?.text().catch(() => "");
  };
  const stop = (): void => clearTimeout(timer);
  return {
    ...NOTHING_AROUND,
    begin: () => {
      const round = (): void => void tick().then(() => (timer = setTimeout(round, 100)));
      stop();
      timer = setTimeout(round, 0);
    },
    gone: stop,
    close: () => Promise.resolve(stop()),
  };
}

const PROGRAMS: Readonly<Record<CloudName, URL>> = {
  "aws-lambda": new URL("aws-lambda.ts", import.meta.url),
  bun: new URL("bun.ts", import.meta.url),
  deno: new URL("deno.ts", import.meta.url),
  node: new URL("node.ts", import.meta.url),
};

/** CommonJS drivers ask for modules of Node by `require`. */
const REQUIRE = `import { createRequire as createBundleRequire } from "node:module";
const require = createBundleRequire(import.meta.url);`;

/** With its drivers, as a deployment would: Deno must find nothing to install. */
async function bundle(name: CloudName): Promise<string> {
  const entry = fileURLToPath(PROGRAMS[name]);
  const outfile = fileURLToPath(
    new URL(`../../node_modules/.cache/clouds/${name}.mjs`, import.meta.url),
  );
  await build({
    entryPoints: [entry],
    outfile,
    banner: { js: REQUIRE },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2022",
    external: ["pg-native", "@aws-sdk/*"],
    logLevel: "error",
  });
  return outfile;
}
