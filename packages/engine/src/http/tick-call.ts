/** One call of an application's own tick route. */
import { WorkflowError } from "../core/errors.ts";
import { invalidOption } from "./invalid-option.ts";
import { parseSecrets } from "./secrets.ts";
import { createTickSigner } from "./tick-signature.ts";

/** The route to call, and its keys. */
export interface TickRoute {
  /** The tick route's URL, for instance `https://orders.acme.deno.net/api/workflows/_runner/tick`; https except on loopback. */
  readonly url: string;
  /** The current key first; the same as the tick route's. At least 24 bytes each. */
  readonly signingKeys: readonly string[];
  /** The same as the tick route's. @default the URL's path */
  readonly audience?: string;
  /** Headers for each call, for instance to pass a platform's own protection. @default none */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TickCall {
  /** The longest wait until `receive` is done, in milliseconds. */
  readonly timeoutMs: number;
  /** Receives the answer if it is a success. */
  readonly receive: (response: Response) => unknown;
  /** @default the runtime's fetch */
  readonly send?: ((url: URL, init: RequestInit) => Promise<Response>) | undefined;
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1])$/;

/**
 * Creates a function that calls the route once, signed.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID; the function throws WAKE_FAILED
 */
export function createSignedCall(route: TickRoute, call: TickCall): () => Promise<void> {
  const url = parseUrl(route.url);
  const { signingKeys, audience = url.pathname } = route;
  parseSecrets(signingKeys, "signingKeys");
  const sign = createTickSigner({ signingKeys, audience });
  return async () => callTick(url, { ...route.headers, ...(await sign("POST")) }, call);
}

/** Calls the route. @throws {WorkflowError} WAKE_FAILED */
export async function callTick(
  url: URL,
  headers: Record<string, string>,
  { timeoutMs, receive, send = fetch }: TickCall,
): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Does not rely on the signal, because `send` may ignore it.
  const isOver = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      controller.abort();
      reject(failed(`no complete answer within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  const reach = async (): Promise<void> => {
    // Not "error", which workerd refuses: github.com/cloudflare/cloudflare-docs/pull/33362, read 2026-11.
    const response = await send(url, { method: "POST", headers, redirect: "manual", signal });
    if (!response.ok) throw failed(`status ${response.status}`);
    await receive(response);
  };
  try {
    await Promise.race([isOver, reach()]);
  } catch (error) {
    throw WorkflowError.is(error) ? error : failed(String(error));
  } finally {
    clearTimeout(timer);
  }
}

/** @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — not https, and not on this machine */
export function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw invalidOption("url", "https, or http on this machine");
  const url = new URL(text);
  const isSafe =
    url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (!isSafe) throw invalidOption("url", "https, or http on this machine");
  return url;
}

const failed = (reason: string): WorkflowError =>
  new WorkflowError("WAKE_FAILED", `the tick route of this application was not reached: ${reason}`);
