/** The fragment's durable hooks, and dispatchers for them. */
import type { HookFn } from "@fragno-dev/db";
import {
  callTick,
  createSignedCall,
  parseSecret,
  parseUrl,
  type TickInput,
  type TickRoute,
} from "@escapement/engine/internal";
import type { OnWorkflowEnqueued, WorkflowEnqueued, WorkflowRestarted } from "./config.ts";
import type { FiledEnd } from "./end-hooks.ts";

/** Hooks by name. */
export type WorkflowsHooks = {
  /** Called when a run became due: created, resumed, or woken by an event. */
  readonly onWorkflowEnqueued: HookFn<WorkflowEnqueued>;
  /** Called when a run has ended. */
  readonly onWorkflowTerminal: HookFn<FiledEnd>;
  /** Called when a restart began a run. */
  readonly onWorkflowRestarted: HookFn<WorkflowRestarted>;
};

/**
 * Creates a dispatcher for one process: the hook awaits a tick of the engine here. If the tick fails, so does the hook, and
 * is tried again.
 *
 * @param input as for `tick`; set `maxInstances` if hooks have to be short
 */
export function tickInProcess(input: TickInput = {}): OnWorkflowEnqueued {
  return (_enqueued, { engine }) => engine.tick(input);
}

/** How a fragment calls its own tick route. */
export interface SelfCallOptions extends Omit<TickRoute, "signingKeys"> {
  /** The keys of the route's option `tick`: the current key first, at least 24 bytes each. Give this or `bearerSecret`. */
  readonly signingKeys?: readonly string[];
  /** The secret to send instead of a signature. At least 24 bytes. */
  readonly bearerSecret?: string;
  /** How long to wait for the whole answer, in milliseconds. @default 60000 @minimum 1 */
  readonly answerTimeoutMs?: number;
  /** @default the runtime's fetch */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * Creates a dispatcher that calls the tick route, so that the tick runs in its own invocation. The hook waits for the whole
 * answer. Anything but a success within `answerTimeoutMs` fails the hook with WAKE_FAILED, and it is tried again. If the call
 * is cut off here, the tick continues there.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export function selfCall(options: SelfCallOptions): OnWorkflowEnqueued {
  const { answerTimeoutMs: timeoutMs = 60_000, fetch, bearerSecret, headers } = options;
  const send = fetch && ((url: URL, init: RequestInit) => fetch(new Request(url, init)));
  const receive = (response: Response): Promise<unknown> => response.text();
  const call = { timeoutMs, receive, send };
  if (bearerSecret === undefined) return createSignedCall({ signingKeys: [], ...options }, call);
  const url = parseUrl(options.url);
  parseSecret(bearerSecret, "bearerSecret");
  return () => callTick(url, { ...headers, authorization: `Bearer ${bearerSecret}` }, call);
}
