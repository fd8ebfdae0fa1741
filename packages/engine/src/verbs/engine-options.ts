/** An engine's options, their names, and the names of those inside them. */
import { WORKFLOW_OPTIONS } from "../authoring/define-workflow.ts";
import { RETRIES_OPTIONS } from "../authoring/step-config.ts";
import type { WorkflowsRegistry } from "../authoring/registry.ts";
import { createTopicRegistry } from "../authoring/topic.ts";
import { WorkflowError } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import { DEFAULT_LIMITS } from "../core/default-limits.ts";
import { parseRetention } from "../core/retention.ts";
import type { FetchHandlerOptions } from "../http/options.ts";
import { parseSecrets } from "../http/secrets.ts";
import type { Platform } from "../ports/platform.ts";
import type { Store } from "../ports/store.ts";
import { type EngineCallbackOptions, parseCallbacks } from "../run/callback-options.ts";
import { assertListeners } from "./listeners.ts";
import type { PartsOptions } from "./parts.ts";

/** Options of `createEngine`: workflows, store, platform, HTTP API and limits. */
export interface EngineOptions<
  TRegistry extends WorkflowsRegistry,
  TPlatform extends Platform | undefined = Platform | undefined,
> extends PartsOptions<TRegistry, TPlatform> {
  /**
   * The HTTP API: authorization, tick secrets, mount path: `{ authorizeRequest: bearerAuth(process.env["API_TOKEN"]) }`.
   * @default the routes that show or change instances answer 401
   */
  readonly http?: FetchHandlerOptions;
}

const ENGINE_OPTIONS: Readonly<Record<keyof EngineOptions<WorkflowsRegistry>, 1>> = {
  workflows: 1,
  store: 1,
  topics: 1,
  env: 1,
  limits: 1,
  logger: 1,
  listeners: 1,
  telemetry: 1,
  host: 1,
  platform: 1,
  runnerId: 1,
  leaseMs: 1,
  concurrency: 1,
  expectedStepMs: 1,
  namespace: 1,
  callbacks: 1,
  bulk: 1,
  redactError: 1,
  stepTransactions: 1,
  retention: 1,
  http: 1,
};

const CALLBACK_OPTIONS: Readonly<Record<keyof EngineCallbackOptions, 1>> = {
  signingKeys: 1,
  url: 1,
};

const CLASS_OPTIONS: object = { ...WORKFLOW_OPTIONS, workflow: 1 };

/** @throws {WorkflowError} UNKNOWN_OPTION; INVALID_DURATION; INVALID_TOPIC; DEPLOY_OPTIONS_INVALID — a weak signing key */
export function assertEngineOptions(options: EngineOptions<WorkflowsRegistry>): void {
  assertKnownOptions("createEngine", options, ENGINE_OPTIONS);
  assertStore(options.store);
  assertListeners(options.listeners);
  assertKnownOptions("limits", options.limits, DEFAULT_LIMITS);
  assertCallbacks(options.callbacks);
  const { topics = [], limits = {} } = options;
  createTopicRegistry({ topics, limits });
  parseRetention(options.retention);
  assertRecord(options.workflows);
  for (const [key, entry] of Object.entries(options.workflows)) {
    assertWorkflow(key, entry);
    parseRetention(entry.retention);
    if (!("workflow" in entry)) continue;
    assertKnownOptions(`workflows.${key}`, entry, CLASS_OPTIONS);
    assertKnownOptions("retries", entry.retries, RETRIES_OPTIONS);
  }
}

function assertCallbacks(callbacks: EngineCallbackOptions | undefined): void {
  if (callbacks === undefined) return;
  assertKnownOptions("callbacks", callbacks, CALLBACK_OPTIONS);
  parseSecrets(callbacks.signingKeys, "callbacks.signingKeys");
  parseCallbacks({ callbacks, namespace: "" });
}

/** Callers without types may give anything: a URL, a driver's pool, a promise, or a variable that nothing was assigned to. */
function assertStore(store: unknown): void {
  if (typeof (Object(store) as Partial<Store>).create === "function") return;
  const message = "createEngine needs a store: for instance sqlite(file) or postgres(url)";
  throw new WorkflowError("STORE_OPTIONS_INVALID", message);
}

function assertRecord(workflows: unknown): void {
  if (typeof workflows === "object" && workflows !== null && !Array.isArray(workflows)) return;
  const message =
    "createEngine needs workflows, keyed by the names you call them by: { SIGNUP: signup }";
  throw new WorkflowError("WORKFLOW_INVALID", message, { path: "workflows" });
}

function assertWorkflow(key: string, entry: unknown): void {
  const { workflow, run } = Object(entry) as {
    readonly workflow?: unknown;
    readonly run?: unknown;
  };
  if (typeof (workflow ?? run) === "function") return;
  const path = `workflows.${key}`;
  const message = `${path} has no function to run: pass defineWorkflow(options, function), or { name, workflow: Class }`;
  throw new WorkflowError("WORKFLOW_INVALID", message, { path });
}
