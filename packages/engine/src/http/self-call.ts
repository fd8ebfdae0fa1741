/** Calls this application's own tick route, so that an instance is kept alive by a request for as long as it works. */
import { createSignedCall, type TickRoute } from "./tick-call.ts";

/** Where the tick route is, and how calls of it are signed. */
export interface SelfCallOptions extends TickRoute {
  /** Longest wait for the answer to begin, in milliseconds. @default 5000 @minimum 1 */
  readonly ackTimeoutMs?: number;
}

/**
 * Makes a function that calls and resolves as soon as the answer begins. One call is under way at a time: those asked
 * for meanwhile are one more.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID; the function throws WAKE_FAILED
 */
export function createSelfCall(options: SelfCallOptions): () => Promise<void> {
  const { ackTimeoutMs: timeoutMs = 5000 } = options;
  const call = createSignedCall(options, { timeoutMs, receive: readOn });
  let underWay: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const start = (): Promise<void> => {
    underWay = call().finally(() => (underWay = null));
    return underWay;
  };
  const startNext = (): Promise<void> => {
    next = null;
    return start();
  };
  return () => {
    if (underWay === null) return start();
    return (next ??= underWay.then(startNext, startNext));
  };
}

/** An answer that nobody reads any more no longer keeps the instance that gives it alive. */
function readOn({ body }: Response): void {
  void body?.pipeTo(new WritableStream()).catch(() => undefined);
}
