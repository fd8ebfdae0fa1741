/** Options of the dashboard, and their checked form. */
import { WorkflowError } from "@escapement/engine";
import { assertKnownOptions, parseMountRoute } from "@escapement/engine/http/internal";

/** The dashboard's path, who may see it, and what may be done in it. */
export interface DashboardOptions {
  /**
   * Called for every request, for pages, code and data. `true` lets it pass. A Response is sent instead, for example a redirect to your
   * sign-in page. Anything else, and an error, is answered with 401. Check your application's session cookie, or use
   * `passwordAuth(secret)`.
   */
  readonly authorize: (request: Request) => boolean | Response | Promise<boolean | Response>;
  /**
   * What users may do besides looking. `start`: create instances, also as forks; `steer`: pause, resume, cancel, terminate, retry,
   * restart and rewind single instances, or all matching ones by a bulk job; `events`: send events to instances, and messages to
   * topics; `delete`: delete ended instances, in both ways; `payloads`: show params, outputs, results of steps and payloads of
   * events, each on request.
   *
   * @default [] : it is read-only and shows no payloads
   */
  readonly allow?: readonly ("start" | "steer" | "events" | "delete" | "payloads")[];
  /**
   * The `workflows` of `createEngine`. Forms for params and events are created from their schemas, if these provide a JSON Schema
   * as Standard JSON Schema defines it (https://standardschema.dev/json-schema, read 2026-11).
   * @default none: forms take JSON
   */
  readonly workflows?: Readonly<Record<string, FormWorkflow>>;
  /** The complete path of the dashboard, as in requests. @default "/dashboard" */
  readonly path?: string;
}

/** The parts of a workflow that forms need. */
export interface FormWorkflow {
  readonly name: string;
  readonly schema?: unknown;
  readonly events?: unknown;
}

/** A permission. */
export type Verb = NonNullable<DashboardOptions["allow"]>[number];

/** The checked options. */
export interface Settings {
  readonly authorize: DashboardOptions["authorize"];
  readonly allow: ReadonlySet<Verb>;
  readonly workflows: readonly FormWorkflow[];
  /** Starts with a slash and does not end with one; "" is the root. */
  readonly path: string;
}

const OPTIONS: Readonly<Record<keyof DashboardOptions, 1>> = {
  authorize: 1,
  allow: 1,
  workflows: 1,
  path: 1,
};

const VERBS: readonly unknown[] = [
  "start",
  "steer",
  "events",
  "delete",
  "payloads",
] satisfies readonly Verb[];

/**
 * Checks the options once, at the start.
 *
 * @throws {WorkflowError} UNKNOWN_OPTION, DEPLOY_OPTIONS_INVALID
 */
export function parseOptions(options: DashboardOptions): Settings {
  assertKnownOptions("dashboard", options, OPTIONS);
  const { authorize, allow = [], workflows = {}, path = "/dashboard" } = options;
  if (typeof authorize !== "function")
    throw invalid("dashboard.authorize", "a function that says who may see the dashboard");
  if (!Array.isArray(allow) || !allow.every((verb) => VERBS.includes(verb)))
    throw invalid("dashboard.allow", `a list of ${VERBS.join(", ")}`);
  if (typeof workflows !== "object" || workflows === null)
    throw invalid("dashboard.workflows", "what createEngine was given as workflows");
  return {
    authorize,
    allow: new Set(allow),
    workflows: Object.values(workflows),
    path: parseMountRoute(path),
  };
}

function invalid(path: string, expected: string): WorkflowError {
  const message = `Option ${path} must be ${expected}.`;
  return new WorkflowError("DEPLOY_OPTIONS_INVALID", message, { path, expected });
}
