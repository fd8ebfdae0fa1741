/** The fragment's durable hook, and dispatchers for it. */
import type { HookFn } from "@fragno-dev/db";
import { WorkflowError } from "../core/errors.ts";
import { createTickSigner } from "../http/tick-signature.ts";
import type { TickInput } from "../ports/service.ts";
import type { OnWorkflowEnqueued, WorkflowEnqueued } from "./config.ts";

/** Hooks by name. */
export type WorkflowsHooks = {
  /** Told that a run came due: created, resumed, or woken by an event. */
  readonly onWorkflowEnqueued: HookFn<WorkflowEnqueued>;
};

/**
 * A dispatcher for one process: the hook awaits a tick of the engine here. It fails with the tick, and is tried again.
 *
 * @param input as `tick` takes it; give a `maxInstances` where hooks must be short
 */
export function tickInProcess(input: TickInput = {}): OnWorkflowEnqueued {
  return (_enqueued, { engine }) => engine.tick(input);
}

export interface SelfCallOptions {
  /** Of the tick route: `https://app.example/api/workflows/_runner/tick`. */
  readonly url: string;
  /** As the route's option `tick`; one of the two is needed. */
  readonly bearerSecret?: string;
  readonly signingKeys?: readonly string[];
  /** @default the URL's path */
  readonly audience?: string;
  /** @default the runtime's fetch */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * A dispatcher that calls the tick route, so that the tick runs in an invocation of its own. The hook waits for the
 * answer; anything but a success fails it, and it is tried again.
 */
export function selfCall(options: SelfCallOptions): OnWorkflowEnqueued {
  const { url, audience = new URL(url).pathname, bearerSecret, signingKeys = [] } = options;
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const sign = createTickSigner({ signingKeys, audience });
  return async () => {
    const credentials: Readonly<Record<string, string>> =
      bearerSecret === undefined
        ? { ...(await sign("POST")) }
        : { authorization: `Bearer ${bearerSecret}` };
    const response = await send(new Request(url, { method: "POST", headers: credentials }));
    await response.body?.cancel();
    if (response.ok) return;
    const details = { url, status: response.status };
    throw new WorkflowError("WAKE_FAILED", `The tick route answered ${response.status}`, details);
  };
}
