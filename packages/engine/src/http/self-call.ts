/** Calls this application's own tick route, so that an instance is kept alive by a request for as long as it works. */
import { WorkflowError } from "../core/errors.ts";
import { createTickSigner, MIN_SECRET_BYTES } from "./tick-signature.ts";

export interface SelfCallOptions {
  /** The tick route's URL, for instance `https://orders.acme.deno.net/api/workflows/_runner/tick`; https except on loopback. */
  readonly url: string;
  /** The current key first; the same as the tick route's. At least 24 bytes each. */
  readonly signingKeys: readonly string[];
  /** The same as the tick route's. @default the URL's path */
  readonly audience?: string;
  /** Sent with each call, for instance what lets it pass a platform's own protection. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest wait for the answer to begin, in milliseconds. @default 5000 @minimum 1 */
  readonly ackTimeoutMs?: number;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Makes a function that calls and resolves as soon as the answer begins. One call is under way at a time: those asked
 * for meanwhile are one more.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID; the function throws WAKE_FAILED
 */
export function createSelfCall(options: SelfCallOptions): () => Promise<void> {
  const url = parseUrl(options.url);
  const { signingKeys, audience = url.pathname, ackTimeoutMs = 5000 } = options;
  if ((signingKeys[0] ?? "").length < MIN_SECRET_BYTES) throw invalid("signingKeys");
  const sign = createTickSigner({ signingKeys, audience });
  const call = async (): Promise<void> =>
    ring(url, { ...options.headers, ...(await sign("POST")) }, ackTimeoutMs);
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

async function ring(url: URL, headers: Record<string, string>, timeoutMs: number): Promise<void> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    const { signal } = controller;
    const response = await fetch(url, { method: "POST", headers, redirect: "error", signal });
    if (!response.ok) throw failed(`status ${response.status}`);
    // An answer that nobody reads any more no longer keeps the instance that gives it alive.
    void response.body?.pipeTo(new WritableStream()).catch(() => undefined);
  } catch (error) {
    throw WorkflowError.is(error) ? error : failed(String(error));
  } finally {
    clearTimeout(timer);
  }
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw invalid("url");
  const url = new URL(text);
  const isSafe =
    url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname));
  if (!isSafe) throw invalid("url");
  return url;
}

const failed = (reason: string): WorkflowError =>
  new WorkflowError("WAKE_FAILED", `the tick route of this application was not reached: ${reason}`);

const invalid = (option: string): WorkflowError =>
  new WorkflowError("DEPLOY_OPTIONS_INVALID", `the option "${option}" is not usable`, { option });
