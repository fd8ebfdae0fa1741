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
import type { FiledEnd } from "./told-ends.ts";

/** Hooks by name. */
export type WorkflowsHooks = {
  /** Told that a run came due: created, resumed, or woken by an event. */
  readonly onWorkflowEnqueued: HookFn<WorkflowEnqueued>;
  /** Told that a run has ended. */
  readonly onWorkflowTerminal: HookFn<FiledEnd>;
  /** Told that a run was begun anew. */
  readonly onWorkflowRestarted: HookFn<WorkflowRestarted>;
};

/**
 * A dispatcher for one process: the hook awaits a tick of the engine here. It fails with the tick, and is tried again.
 *
 * @param input as `tick` takes it; give a `maxInstances` where hooks must be short
 */
export function tickInProcess(input: TickInput = {}): OnWorkflowEnqueued {
  return (_enqueued, { engine }) => engine.tick(input);
}

/** Where a fragment calls its own tick route. */
export interface SelfCallOptions extends Omit<TickRoute, "signingKeys"> {
  /** As the route's option `tick`; this or `bearerSecret` is needed. The current key first, at least 24 bytes each. */
  readonly signingKeys?: readonly string[];
  /** In place of a signature. At least 24 bytes. */
  readonly bearerSecret?: string;
  /** Longest wait for the whole answer, in milliseconds. @default 60000 @minimum 1 */
  readonly answerTimeoutMs?: number;
  /** @default the runtime's fetch */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * A dispatcher that calls the tick route, so that the tick runs in an invocation of its own. The hook waits for the whole
 * answer; anything but a success within its time fails it with WAKE_FAILED, and it is tried again. A tick that was cut
 * off here goes on there.
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
