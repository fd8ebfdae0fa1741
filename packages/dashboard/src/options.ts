/** Options of the dashboard, and what they become once checked. */
import { WorkflowError } from "@escapement/engine";
import { assertKnownOptions, parseMountRoute } from "@escapement/engine/http/internal";

/** Where the dashboard is, who may see it, and what may be done in it. */
export interface DashboardOptions {
  /**
   * Asked about every request, for pages, code and data alike. `true` lets it pass; a Response is given instead, such as a redirect to
   * where people sign in; anything else, also what is thrown, is answered by 401. Look at the session's cookie as elsewhere in your
   * application, or take `passwordAuth(secret)`.
   */
  readonly authorize: (request: Request) => boolean | Response | Promise<boolean | Response>;
  /**
   * What it may do beyond looking. `start`: create instances, also as forks of others; `steer`: pause, resume, cancel, terminate,
   * retry, restart and rewind instances, one or, by bulk jobs, all that match; `events`: send them events, and topics messages;
   * `delete`: delete instances that have ended, so too; `payloads`: show params, outputs, results of steps and payloads of events,
   * each when somebody asks for it.
   *
   * @default [] : it is read-only and shows no payloads
   */
  readonly allow?: readonly ("start" | "steer" | "events" | "delete" | "payloads")[];
  /**
   * What `createEngine` was given as `workflows`: forms for params and events are made of their schemas, where those tell their JSON
   * Schema as Standard JSON Schema says (https://standardschema.dev/json-schema, read 2026-11).
   * @default none: forms take JSON
   */
  readonly workflows?: Readonly<Record<string, FormWorkflow>>;
  /** Path of the dashboard; the whole one, as requests carry it. @default "/dashboard" */
  readonly path?: string;
}

/** What forms need of a workflow. */
export interface FormWorkflow {
  readonly name: string;
  readonly schema?: unknown;
  readonly events?: unknown;
}

/** What may be allowed. */
export type Verb = NonNullable<DashboardOptions["allow"]>[number];

/** Checked. */
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
