/** Netlify's own tools, where they have been installed. */
import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const MODULES = fileURLToPath(
  new URL("../vendors/netlify/node_modules/@netlify/", import.meta.url),
);

/** Main module of the emulator. */
export const NETLIFY_DEV: string = `${MODULES}dev/dist/main.js`;

/** What `netlify build` runs; it wants Node 22 or newer. */
export const NETLIFY_BUILD: string = `${MODULES}build/bin.js`;

/** Why a test that needs them is skipped; null when they are there. */
export function missingNetlify(): string | null {
  const how = "npx pnpm@10 install --dir runtime-tests/vendors/netlify";
  return existsSync(NETLIFY_DEV) && existsSync(NETLIFY_BUILD)
    ? null
    : `Netlify's tools are not installed: ${how}`;
}

/** The part of a site's configuration that matters here. */
export interface NetlifyConfig {
  readonly build: {
    readonly command?: string;
    readonly functions: string;
    readonly publish: string;
  };
  readonly functions: Readonly<Record<string, { readonly schedule?: string }>>;
}

/** Reads `netlify.toml` of a folder as a deployment does. @throws where Netlify refuses it */
export async function readNetlifyConfig(folder: string): Promise<NetlifyConfig> {
  const { resolveConfig } = (await load("config/lib/index.js")) as {
    resolveConfig(options: object): Promise<{ readonly config: NetlifyConfig }>;
  };
  const { config } = await resolveConfig({
    config: `${folder}/netlify.toml`,
    cwd: folder,
    repositoryRoot: folder,
    context: "production",
    mode: "cli",
    offline: true,
  });
  return config;
}

/** Of one function, what the deployment tells Netlify. */
export interface DeployedFunction {
  readonly name: string;
  readonly invocationMode: string;
  readonly schedule?: string;
  readonly routes?: readonly { readonly pattern: string }[];
  readonly buildData: { readonly runtimeAPIVersion: number };
}

/** Builds the functions of a site as a deployment does, into `output`. */
export async function buildFunctions(
  folder: string,
  { build, functions }: NetlifyConfig,
  output: string,
): Promise<readonly DeployedFunction[]> {
  const { zipFunctions } = (await load("zip-it-and-ship-it/dist/main.js")) as {
    zipFunctions(
      source: string,
      output: string,
      options: object,
    ): Promise<readonly DeployedFunction[]>;
  };
  return zipFunctions(build.functions, output, { basePath: folder, config: functions });
}

/** The part of Netlify's function runtime that matters here. */
export interface FunctionRuntime {
  /** @returns what Lambda calls with an event, the stream of the answer and its own context */
  getLambdaHandler(module: {
    readonly default: unknown;
  }): (event: object, answer: object, context: object) => Promise<void>;
}

/** The runtime that `buildFunctions` puts into each function. */
export const loadFunctionRuntime = async (): Promise<FunctionRuntime> =>
  (await load("serverless-functions-api/dist/index.js")) as FunctionRuntime;

const load = (path: string): Promise<unknown> => import(pathToFileURL(`${MODULES}${path}`).href);
