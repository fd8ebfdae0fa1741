/** A project that the packed `create-escapement` made, as somebody has it who ran `npm create`. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFreePort, spawnServer, temporaryDirectory } from "@escapement-internal/test-servers";
import type { PackageRegistry } from "../pages/packages.ts";
import { RUNTIME_PATH } from "../tools.ts";
import type { Combination } from "./combination.ts";

const LINE_MS = 300_000;
const NAME = "my-app";

export interface MadeProject {
  readonly folder: string;
  hasScript(name: string): boolean;
  /** Runs a script of its `package.json` by the platform's own tool. @throws when it fails, with what it said */
  runScript(name: string): Promise<string>;
  /** A variable of its `.env`. */
  readEnv(name: string): string;
  /** Starts its script `dev` or `start`. @returns the address of its API */
  start(script: "dev" | "start", settings: Variables): Promise<StartedProject>;
  remove(): void;
}

export interface StartedProject {
  readonly api: string;
  readonly stop: () => Promise<void>;
}

/** Makes it by the packed program, and installs its dependencies from here and from where they are. */
export async function makeProject(
  { platform, framework, database }: Combination,
  registry: PackageRegistry,
): Promise<MadeProject> {
  const directory = temporaryDirectory();
  const folder = join(directory.path, NAME);
  const create = `npm exec --yes --package=${registry.tarballOf("create-escapement")} -- create-escapement`;
  const flags = `--platform ${platform} --framework ${framework} --database ${database}`;
  // One after another: npm installs the program in one place for all that ask for it, and has no lock there.
  await afterOthers(() => run(directory.path, `${create} ${NAME} ${flags}`, {}));
  writeFileSync(join(folder, ".npmrc"), registry.npmrc);
  const tool = TOOLS[platform] ?? NPM;
  const path = platform === "node" && !NEWER.has(framework) ? {} : RUNTIME_PATH;
  await run(folder, tool.install, path);
  return {
    folder,
    hasScript: (name) => name in readScripts(folder),
    runScript: (name) => run(folder, `${tool.script} ${name}`, path),
    readEnv: (name) => readEnv(folder, name),
    start: (script, settings) =>
      start(folder, `${tool.script} ${script}`, { ...path, ...settings }),
    remove: () => directory.remove(),
  };
}

let othersEnded: Promise<unknown> = Promise.resolve();

function afterOthers<T>(act: () => Promise<T>): Promise<T> {
  const result = othersEnded.then(act);
  othersEnded = result.catch(() => undefined);
  return result;
}

interface Tool {
  readonly install: string;
  readonly script: string;
}

const NPM: Tool = { install: "npm install --no-fund", script: "npm run --silent" };
const TOOLS: Readonly<Record<string, Tool>> = {
  bun: { install: "bun install", script: "bun run" },
  deno: { install: "deno install --allow-scripts", script: "deno task" },
};

/** Frameworks whose Node is newer than the floor: their projects have Node 24, those of the others the Node of this process. */
export const NEWER: ReadonlySet<string> = new Set(["sveltekit", "nuxt", "astro", "react-router"]);

const SETTINGS = {
  // Frameworks behave differently inside a test.
  NODE_ENV: "",
  VITEST: "",
  npm_config_prefer_offline: "true",
  npm_config_audit: "false",
  WRANGLER_SEND_METRICS: "false",
  NEXT_TELEMETRY_DISABLED: "1",
  ASTRO_TELEMETRY_DISABLED: "1",
  NUXT_TELEMETRY_DISABLED: "1",
  CI: "1",
};

type Variables = Readonly<Record<string, string>>;

async function run(cwd: string, line: string, path: Variables): Promise<string> {
  const args = ["-euo", "pipefail", "-c", line];
  const env = { ...process.env, ...SETTINGS, ...path };
  const options = { cwd, env, maxBuffer: 2 ** 24, timeout: LINE_MS };
  try {
    const { stdout } = await promisify(execFile)("bash", args, options);
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${line}\n${stdout}${stderr}`, { cause: error });
  }
}

function readScripts(folder: string): object {
  const text = readFileSync(join(folder, "package.json"), "utf8");
  return (JSON.parse(text) as { readonly scripts: object }).scripts;
}

function readEnv(folder: string, name: string): string {
  const text = readFileSync(join(folder, ".env"), "utf8");
  return new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] ?? "";
}

/** Takes a free port where the program or its framework takes one; the others say where they listen. */
async function start(folder: string, line: string, settings: Variables): Promise<StartedProject> {
  const port = await findFreePort();
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  // Wrangler takes it as an argument only; a variable of the environment is stronger than the same one of `.env`.
  writeFileSync(join(folder, "package.json"), manifest.replaceAll("--port 8787", `--port ${port}`));
  let api = "";
  const server = await spawnServer({
    command: "bash",
    args: ["-c", `exec ${line}`],
    cwd: folder,
    env: { ...SETTINGS, ...settings, PORT: String(port) },
    readyTimeoutMs: 150_000,
    ready: async (output) => {
      const said = /\b(?:listening|ready) (?:on )?http:\/\/[\w.]+:(\d+)/i.exec(output())?.[1];
      api = `http://127.0.0.1:${said ?? port}/api/workflows`;
      const answer = await fetch(`${api}/workflows`).catch(() => null);
      return answer?.status === 401;
    },
  });
  return { api, stop: () => server.stop() };
}
