/** The files and commands for Deno and Deno Deploy, as data: nothing is read or written here. */
import {
  assertOption,
  assertPlatformOptions,
  type DeployFile,
  type Deployment as ServiceDeployment,
} from "@escapement/engine/adapter";

/** Options of the application, its entry and its secrets. */
export interface DeployOptions {
  /** Where the program runs: on Deno Deploy, or on your own machine. */
  readonly target: "deno-deploy" | "machine";
  /** The program, relative to the application's folder. @default "main.ts" */
  readonly entry?: string;
  /** A program that migrates the tables, relative to the same folder. @default none */
  readonly migrateEntry?: string;
  /** Deno Deploy: the application's slug in its URL, a DNS label: 1–63 lower-case letters, digits and hyphens. */
  readonly app?: string;
  /** Deno Deploy: the organization's slug in its URL, also a DNS label. */
  readonly org?: string;
  /** Deno Deploy: memory of an instance in MB; above 768 on the Pro plan. @default the platform's 768 @maximum 4096 */
  readonly memoryLimitMb?: number;
  /** Names of the secrets to set for production. @default ["DATABASE_URL", "TICK_SIGNING_KEY"] */
  readonly secretNames?: readonly string[];
  /**
   * The current content of `deno.json`, for example your imports. It is kept, except for what is written here. @default
   * nothing
   */
  readonly config?: object;
}

/** Files to write and commands to run, in order. */
export interface Deployment extends ServiceDeployment {
  /** The public URL of the tick route with the default mount path, for `selfCall`; null on your own machine. */
  readonly tickUrl: string | null;
}

const FILE = /^[\w.-]+(\/[\w.-]+)*$/;
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** @source https://docs.deno.com/deploy/reference/builds/#configuration-options, read 2026-11 (page of 2026-10-01) */
const MAX_MEMORY_MB = 4096;
/** Names that Deno Deploy reserves. @source https://docs.deno.com/deploy/reference/env_vars_and_contexts/#limits, read 2026-11 */
const RESERVED_NAME = /^(?:DENO_|LD_|OTEL_)/;
const NAME = /^[A-Z_][A-Z0-9_]{0,127}$/;

const OPTIONS: Readonly<Record<keyof DeployOptions, 1>> = {
  target: 1,
  entry: 1,
  migrateEntry: 1,
  app: 1,
  org: 1,
  memoryLimitMb: 1,
  secretNames: 1,
  config: 1,
};
const A_FILE = 'a path in the folder such as "src/main.ts", without spaces';
const A_SLUG = "1 to 63 lower-case letters, digits and hyphens, as in its URL";

/**
 * Returns the files and commands of a target, always the same for the same options.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID, UNKNOWN_OPTION
 */
export function deploy(options: DeployOptions): Deployment {
  assertPlatformOptions(options, OPTIONS, "deploy");
  const { config = {}, entry = "main.ts", migrateEntry, target } = options;
  // These are written into shell commands, where nothing may need quoting.
  assertOption("entry", FILE.test(entry), A_FILE);
  assertOption("migrateEntry", migrateEntry === undefined || FILE.test(migrateEntry), A_FILE);
  const base = mergeConfig(config, entry, migrateEntry);
  if (target === "machine") return deployOnMachine(base, migrateEntry);
  assertOption("target", target === "deno-deploy", "deno-deploy or machine");
  return deployOnDenoDeploy(options, base, entry);
}

interface Config {
  readonly unstable?: readonly string[];
  readonly tasks?: Readonly<Record<string, unknown>>;
}

/** @source https://docs.deno.com/runtime/fundamentals/cron/, read 2026-11; run on Deno 2.9.6 */
function mergeConfig(config: Config, entry: string, migrateEntry: string | undefined): object {
  const run = "deno run --allow-net --allow-env --allow-read --allow-sys";
  const migrate = migrateEntry === undefined ? {} : { migrate: `${run} ${migrateEntry}` };
  return {
    ...config,
    // Deno Deploy has crons without it; everywhere else, Deno.cron must be enabled.
    unstable: [...new Set([...(config.unstable ?? []), "cron"])],
    tasks: { ...config.tasks, start: `${run} ${entry}`, ...migrate },
  };
}

function deployOnMachine(base: object, migrateEntry: string | undefined): Deployment {
  const migrate = migrateEntry === undefined ? [] : ["deno task migrate"];
  return {
    files: [toFile(base)],
    commands: ["deno install", ...migrate, "deno task start"],
    tickUrl: null,
  };
}

/** @source https://docs.deno.com/deploy/reference/builds/#denojson-options (2026-10-01), /runtime/reference/cli/deploy/ (2026-06-01) */
function deployOnDenoDeploy(options: DeployOptions, base: object, entry: string): Deployment {
  const { app = "", org = "", memoryLimitMb, migrateEntry } = options;
  const { secretNames = ["DATABASE_URL", "TICK_SIGNING_KEY"] } = options;
  assertOption("app", SLUG.test(app), A_SLUG);
  assertOption("org", SLUG.test(org), A_SLUG);
  const isSize = memoryLimitMb === undefined || isMemory(memoryLimitMb);
  assertOption("memoryLimitMb", isSize, `megabytes, a whole number from 1 to ${MAX_MEMORY_MB}`);
  const areFree = secretNames.every((name) => NAME.test(name) && !RESERVED_NAME.test(name));
  const names = "names such as API_TOKEN; DENO_, LD_ and OTEL_ are Deno Deploy's own";
  assertOption("secretNames", areFree, names);
  const memory = memoryLimitMb === undefined ? {} : { memoryLimit: memoryLimitMb };
  const predeploy = migrateEntry === undefined ? {} : { predeploy: "deno task migrate" };
  const runtime = { type: "dynamic", entrypoint: entry, ...memory };
  const deploySection = { install: "deno install", ...predeploy, runtime };
  const target = `--org ${org} --app ${app}`;
  return {
    files: [toFile({ ...base, deploy: deploySection })],
    commands: [
      ...secretNames.map((name) => `deno deploy env add ${name} "$${name}" --secret ${target}`),
      `deno deploy --prod ${target}`,
    ],
    tickUrl: `https://${app}.${org}.deno.net/api/workflows/_runner/tick`,
  };
}

const isMemory = (megabytes: number): boolean =>
  Number.isSafeInteger(megabytes) && megabytes >= 1 && megabytes <= MAX_MEMORY_MB;

const toFile = (config: object): DeployFile => ({
  path: "deno.json",
  text: `${JSON.stringify(config, null, 2)}\n`,
});
