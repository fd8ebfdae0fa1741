/** The configuration and commands for Vercel, as data: nothing is read or written here. */
import {
  assertOption,
  assertPlatformOptions,
  type Deployment as Service,
  isDailyCron,
  isPlainCron,
} from "@escapement/engine/adapter";
import { readCatchAll, ROUTE } from "./next-route.ts";

/** Options of `vercel.json`. Unknown options are refused; Vercel itself accepts unknown keys. */
export interface DeployOptions {
  readonly plan: "hobby" | "pro" | "enterprise";
  /**
   * The function that takes requests: a file below `api/`, or a catch-all route of Next.js such as
   * "app/api/workflows/[...path]/route.ts", also below `src/`. @default "api/workflows.ts"
   */
  readonly entry?: string;
  /** The `config.runtime` of that function. The duration of an Edge function cannot be set. @default "nodejs" */
  readonly runtime?: "nodejs" | "edge";
  /**
   * The function that takes wakes from Vercel Queues, on Node: beside `entry`, below `api/`, or a route of Next.js such as
   * "app/api/wake/route.ts". @default none: sleeps are left to the cron
   */
  readonly wakeEntry?: string;
  /** The topic of that queue. @default "escapement" */
  readonly topic?: string;
  /**
   * The engine's `http.mountRoute`; the cron calls the tick route below it, which `entry` answers. A route of Next.js is at its
   * folder's path, after the application's base path. @default "/api/workflows", or that folder's path
   */
  readonly mountRoute?: string;
  /** How many wakes Vercel Queues deliver at the same time. @default 10 @minimum 1 @maximum 999 */
  readonly maxConcurrency?: number;
  /** Five fields, UTC; Vercel takes six and ignores them. @default with `wakeEntry` each hour, else each minute; on Hobby each day, which is its finest */
  readonly schedule?: string;
  /** 1–300 on Hobby, else 1–1800; above 800 is beta. @default 300 */
  readonly maxDurationSeconds?: number;
  /** Names of the variables to set. @default DATABASE_URL, CRON_SECRET, TICK_SIGNING_KEY */
  readonly secretNames?: readonly string[];
}

/** Files to write and commands to run, in order. */
export interface Deployment extends Service {
  /** What may not work as you expect. */
  readonly warnings: readonly string[];
}

type Checked = Required<Omit<DeployOptions, "wakeEntry">> & Pick<DeployOptions, "wakeEntry">;

const LATE = "Without wakeEntry a sleep that outlasts its request may end 25 hours late.";
const DAILY_NET =
  "Only a daily cron recovers lost wakes: have another scheduler call the tick route as well.";
/** Seconds. @source vercel.com/changelog/vercel-functions-can-now-run-up-to-30-minutes, /docs/functions/limitations; read 2026-11-21 */
/** A failed wake comes again when the lease that it left is over, and no later. */
const RETRY_SECONDS = 9;
const MAX_DURATIONS = { hobby: 300, pro: 1800, enterprise: 1800 };
/** One file and no pattern, within 128 characters. @source vercel.com/docs/functions/limitations, read 2026-11-21 */
const ENTRY = /^(?=.{1,128}$)api(?:\/[\w-]+)+\.[cm]?[jt]s$/;

const SECONDS = `a whole number from 1 to ${MAX_DURATIONS.hobby} on Hobby, else to ${MAX_DURATIONS.pro}`;
/** The valid values of each option. */
const EXPECTED: Readonly<Record<keyof Checked, string>> = {
  plan: Object.keys(MAX_DURATIONS).join(", "),
  entry:
    'a file below api such as "api/workflows.ts", or a route such as "app/api/workflows/[...path]/route.ts"',
  runtime: "nodejs or edge",
  wakeEntry:
    'a file of its own, below api as entry is, such as "api/wake.ts", or a route such as "app/api/wake/route.ts"',
  topic: "letters, digits, - and _",
  mountRoute: 'a path such as "/api/workflows", which ends as that of a route of Next.js',
  maxConcurrency: "a whole number from 1 to 999",
  schedule: 'five cron fields such as "* * * * *"; on Hobby once a day at most',
  maxDurationSeconds: SECONDS,
  secretNames: "names such as API_TOKEN; VERCEL… are Vercel's own",
};

/** The check of each option. @source vercel.com/docs/cron-jobs/usage-and-pricing, read 2026-11-21; `vercel build` 60.1.3 */
const CHECKS: { readonly [K in keyof Checked]-?: (options: Checked) => boolean } = {
  plan: ({ plan }) => Object.hasOwn(MAX_DURATIONS, plan),
  entry: ({ entry }) => ENTRY.test(entry) || readCatchAll(entry) !== null,
  runtime: ({ runtime }) => runtime === "nodejs" || runtime === "edge",
  wakeEntry: ({ entry, wakeEntry: file }) =>
    file === undefined || (file !== entry && (ENTRY.test(entry) ? ENTRY : ROUTE).test(file)),
  topic: ({ topic }) => /^[\w-]+$/.test(topic),
  mountRoute: ({ entry, mountRoute }) =>
    /^(?:\/[\w-]+)+$/.test(mountRoute) && mountRoute.endsWith(readCatchAll(entry) ?? ""),
  maxConcurrency: ({ maxConcurrency }) => /^[1-9]\d{0,2}$/.test(String(maxConcurrency)),
  schedule: ({ plan, schedule }) =>
    isPlainCron(schedule) && (plan !== "hobby" || isDailyCron(schedule)),
  maxDurationSeconds: ({ maxDurationSeconds: seconds, plan }) =>
    Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_DURATIONS[plan],
  secretNames: ({ secretNames }) =>
    secretNames.every((name) => /^(?!VERCEL)[A-Za-z]\w*$/.test(name)),
};

const KNOWN: Readonly<Record<keyof DeployOptions, 1>> = {
  plan: 1,
  entry: 1,
  runtime: 1,
  wakeEntry: 1,
  topic: 1,
  mountRoute: 1,
  maxConcurrency: 1,
  schedule: 1,
  maxDurationSeconds: 1,
  secretNames: 1,
};

/**
 * Returns `vercel.json` for a plan and the commands, always the same for the same options.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID, UNKNOWN_OPTION, also for what Vercel would silently accept and ignore
 */
export function deploy(options: DeployOptions): Deployment {
  assertPlatformOptions(options, KNOWN, "deploy");
  const { plan, wakeEntry } = options;
  const checked: Checked = {
    entry: "api/workflows.ts",
    runtime: "nodejs",
    topic: "escapement",
    mountRoute: readCatchAll(options.entry ?? "") ?? "/api/workflows",
    maxConcurrency: 10,
    // With a queue, the cron is only for lost wakes; more often, it would keep a database awake that is billed for that.
    schedule: plan === "hobby" ? "0 0 * * *" : `${wakeEntry === undefined ? "*" : "0"} * * * *`,
    maxDurationSeconds: 300,
    secretNames: ["DATABASE_URL", "CRON_SECRET", "TICK_SIGNING_KEY"],
    ...options,
  };
  for (const name of Object.keys(CHECKS) as (keyof Checked)[])
    assertOption(name, CHECKS[name](checked), EXPECTED[name]);
  const setSecrets = checked.secretNames.map((name) => `vercel env add ${name} production`);
  const isDaily = isDailyCron(checked.schedule);
  return {
    files: [{ path: "vercel.json", text: `${JSON.stringify(toConfig(checked), null, 2)}\n` }],
    commands: [...setSecrets, "vercel deploy --prod"],
    warnings: isDaily ? [DAILY_NET, ...(wakeEntry === undefined ? [LATE] : [])] : [],
  };
}

function toConfig(options: Checked): object {
  const { entry, maxDurationSeconds: maxDuration, mountRoute, runtime } = options;
  const { maxConcurrency, schedule, topic, wakeEntry } = options;
  const trigger = { type: "queue/v2beta", topic, retryAfterSeconds: RETRY_SECONDS, maxConcurrency };
  const experimentalTriggers = [trigger];
  // `api/workflows.ts` is at `/api/workflows`, and so is `api/workflows/index.ts`.
  const destination = `/${entry.replace(/(?:\/index)?\.\w+$/, "")}`;
  const isRoute = readCatchAll(entry) !== null;
  const functions = {
    ...(runtime === "edge" ? {} : { [entry]: { maxDuration } }),
    ...(wakeEntry === undefined ? {} : { [wakeEntry]: { maxDuration, experimentalTriggers } }),
  };
  return {
    $schema: "https://openapi.vercel.sh/vercel.json",
    // The setting of the project may be another, and then none of its routes were a function.
    ...(isRoute ? { framework: "nextjs" } : {}),
    // Vercel refuses an empty object.
    ...(Object.keys(functions).length === 0 ? {} : { functions }),
    ...(isRoute ? {} : { rewrites: [{ source: `${mountRoute}/(.*)`, destination }] }),
    crons: [{ path: `${mountRoute}/_runner/tick`, schedule }],
  };
}
