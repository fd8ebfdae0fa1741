/** The configuration and commands for Cloudflare, as data: nothing is read or written here. */
import { assertOption, assertPlatformOptions, type Deployment } from "@escapement/engine/adapter";

/** Options of the Worker, its objects and its secrets. */
export interface DeployOptions {
  /** Name of the Worker, a DNS label: 1–63 lower-case letters, digits and hyphens. */
  readonly name: string;
  /** The class that hosts workflows, exported by `main`. */
  readonly className: string;
  /** The class's binding, for `handler`. @default "WORKFLOWS" */
  readonly binding?: string;
  /** The file of the Worker, relative to the configuration. @default "src/main.ts" */
  readonly main?: string;
  /** Minutes between two safety-net ticks: a divisor of 60. @default 5 */
  readonly safetyMinutes?: number;
  /**
   * The most processor time of an invocation, in milliseconds, on paid plans. @default the platform's 30000 @minimum 10
   * @maximum 300000
   */
  readonly cpuMs?: number;
  /** The date of the runtime's behaviour. @default "2026-04-01" */
  readonly compatibilityDate?: string;
  /** @default none, because nothing here needs Node's modules */
  readonly compatibilityFlags?: readonly string[];
  /** A D1 database, if workflows are not in the object's storage. Its binding is `DB`. @default none */
  readonly d1?: { readonly databaseName: string; readonly databaseId: string };
  /** Names of the secrets to set. @default none */
  readonly secretNames?: readonly string[];
}

const FILE = /^[\w.-]+(\/[\w.-]+)*$/;
const A_LABEL = "1 to 63 lower-case letters, digits and hyphens";
/** JavaScript callers may have left it out. */
const isLabel = (text: unknown): boolean =>
  typeof text === "string" && /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
const isIdentifier = (text: unknown): boolean =>
  typeof text === "string" && /^[A-Za-z_]\w{0,99}$/.test(text);
const isFlag = (text: string): boolean => /^[a-z][a-z0-9_]*$/.test(text);
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** @source https://developers.cloudflare.com/durable-objects/platform/limits/, read 2026-11 */
const MAX_CPU_MS = 300_000;

const OPTIONS: Readonly<Record<keyof DeployOptions, 1>> = {
  name: 1,
  className: 1,
  binding: 1,
  main: 1,
  compatibilityDate: 1,
  compatibilityFlags: 1,
  cpuMs: 1,
  safetyMinutes: 1,
  d1: 1,
  secretNames: 1,
};

/**
 * Returns the configuration and the commands, always the same for the same options.
 *
 * @source https://developers.cloudflare.com/workers/wrangler/configuration/, read 2026-11
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID, UNKNOWN_OPTION
 */
export function deploy(options: DeployOptions): Deployment {
  assertPlatformOptions(options, OPTIONS, "deploy");
  const { name, className, binding = "WORKFLOWS", main = "src/main.ts" } = options;
  const { compatibilityDate = "2026-04-01", compatibilityFlags = [], cpuMs, d1 } = options;
  const { safetyMinutes = 5, secretNames = [] } = options;
  assertOption("name", isLabel(name), A_LABEL);
  assertOption("className", isIdentifier(className), "the name of the class in `main`");
  assertOption("binding", isIdentifier(binding), "a name such as WORKFLOWS");
  assertOption("main", FILE.test(main), 'a path in the folder such as "src/main.ts"');
  assertOption("compatibilityDate", isDay(compatibilityDate), "a day such as 2026-04-01");
  const areFlags = compatibilityFlags.every(isFlag);
  assertOption("compatibilityFlags", areFlags, "names such as nodejs_compat");
  const isCpu = cpuMs === undefined || isWithin(cpuMs, 10, MAX_CPU_MS);
  assertOption("cpuMs", isCpu, `milliseconds from 10 to ${MAX_CPU_MS}`);
  // Any other step would be accepted, but leave a gap of a different length at each full hour.
  const divides = isWithin(safetyMinutes, 1, 60) && 60 % safetyMinutes === 0;
  assertOption("safetyMinutes", divides, "minutes that divide an hour: 1, 2, 3, 4, 5, 6, 10 …");
  assertOption("d1.databaseName", d1 === undefined || isLabel(d1.databaseName), A_LABEL);
  const hasId = d1 === undefined || UUID.test(d1.databaseId);
  assertOption("d1.databaseId", hasId, "the id that `wrangler d1 create` prints");
  assertOption("secretNames", secretNames.every(isIdentifier), "names such as API_TOKEN");
  const config = {
    $schema: "node_modules/wrangler/config-schema.json",
    name,
    main,
    compatibility_date: compatibilityDate,
    compatibility_flags: compatibilityFlags.length === 0 ? undefined : compatibilityFlags,
    limits: cpuMs === undefined ? undefined : { cpu_ms: cpuMs },
    durable_objects: { bindings: [{ name: binding, class_name: className }] },
    // The kind of a class's storage is fixed when the class is created.
    migrations: [{ tag: "v1", new_sqlite_classes: [className] }],
    d1_databases: d1 && [
      { binding: "DB", database_name: d1.databaseName, database_id: d1.databaseId },
    ],
    triggers: { crons: [safetyMinutes === 60 ? "0 * * * *" : `*/${safetyMinutes} * * * *`] },
    observability: { enabled: true },
  };
  return {
    files: [{ path: "wrangler.jsonc", text: `${JSON.stringify(config, null, 2)}\n` }],
    commands: [
      "npx wrangler deploy",
      ...secretNames.map((secretName) => `npx wrangler secret put ${secretName}`),
    ],
  };
}

const isWithin = (value: number, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most;

/** A date such as 30 February would be read as a day in March. */
const isDay = (text: string): boolean => new Date(text).toJSON()?.slice(0, 10) === text;
