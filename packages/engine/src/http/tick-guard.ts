/** Lets a tick in only with a bearer secret or a signature that fits; with neither configured the route is closed. */
import { WorkflowError } from "../core/errors.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { Bytes } from "./request-body.ts";
import {
  DEFAULT_WINDOW_SECONDS,
  MIN_SECRET_BYTES,
  verifyTick,
  type TickVerdict,
} from "./tick-signature.ts";

/** How ticks over HTTP are let in. Without a secret and without keys the tick route is closed (TICK_DISABLED). */
export interface TickOptions {
  /** Taken as `Authorization: Bearer …`. At least 24 bytes of printable ASCII without spaces. @default none */
  readonly bearerSecret?: string;
  /** HMAC keys, the current one first, then previous ones; each as `bearerSecret`. @default none */
  readonly signingKeys?: readonly string[];
  /**
   * What signatures must be made for. Name the environment in it when environments share keys.
   * @default the tick route's path, for instance `/api/workflows/_runner/tick`
   */
  readonly audience?: string;
  /** Seconds by which a signature's time may be off, both ways. @default 300 @minimum 1 @maximum 86400 */
  readonly windowSeconds?: number;
  /** Process-clock instant at which the invocation that took the request is killed; null: none. @default none */
  readonly deadline?: (request: Request) => EpochMs | null;
}

/** Passes, or throws TICK_DISABLED or TICK_UNAUTHORIZED. */
export type TickGuard = (request: Request, readBody: () => Promise<Bytes>) => Promise<void>;

/**
 * Makes the guard.
 *
 * @param now process clock in epoch milliseconds
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when a secret is too short or cannot be sent in a header
 */
export function createTickGuard(
  options: TickOptions,
  defaultAudience: string,
  now: () => EpochMs,
): TickGuard {
  const { bearerSecret, signingKeys = [], audience = defaultAudience } = options;
  const windowSeconds = options.windowSeconds ?? DEFAULT_WINDOW_SECONDS;
  if (bearerSecret !== undefined) assertSecret(bearerSecret, "tick.bearerSecret");
  signingKeys.forEach((key, index) => assertSecret(key, `tick.signingKeys.${index}`));
  if (!(windowSeconds >= 1 && windowSeconds <= 86_400)) {
    throw invalidOption("tick.windowSeconds", "a number from 1 to 86400");
  }
  if (audience === "") throw invalidOption("tick.audience", "text");
  if (bearerSecret === undefined && signingKeys.length === 0) return refuseAll;

  return async (request, readBody) => {
    if (bearerSecret !== undefined && (await hasBearer(request, bearerSecret))) return;
    const verdict = await checkSignature(request, readBody);
    if (!verdict.ok) throw unauthorized(request, verdict.reason);
  };

  async function checkSignature(
    request: Request,
    readRawBody: () => Promise<Bytes>,
  ): Promise<TickVerdict> {
    const { headers, method } = request;
    if (signingKeys.length === 0 || !headers.has("webhook-signature")) {
      return { ok: false, reason: "missing" };
    }
    const body = await readRawBody();
    return verifyTick({ method, headers, body, signingKeys, audience, windowSeconds, now: now() });
  }
}

/** The error for an option of createFetchHandler that cannot work. */
export function invalidOption(path: string, expected: string): WorkflowError {
  return new WorkflowError("DEPLOY_OPTIONS_INVALID", `Option ${path} must be ${expected}.`, {
    path,
    expected,
  });
}

async function refuseAll(): Promise<void> {
  throw new WorkflowError("TICK_DISABLED", "Ticks over HTTP are closed: no secret is configured.");
}

function assertSecret(secret: unknown, path: string): void {
  // An unset environment variable arrives as "", as undefined in a list, or with the newline of the file it came from.
  const isUsable = typeof secret === "string" && /^[\x21-\x7e]+$/.test(secret);
  if (isUsable && secret.length >= MIN_SECRET_BYTES) return;
  throw invalidOption(path, `at least ${MIN_SECRET_BYTES} printable ASCII characters, no spaces`);
}

function unauthorized(request: Request, reason: string): WorkflowError {
  // With a bearer that did not fit and no signature, "missing" would mislead.
  const isBearerWrong = reason === "missing" && request.headers.has("authorization");
  return new WorkflowError(
    "TICK_UNAUTHORIZED",
    "The tick's bearer secret or signature was refused.",
    {
      reason: isBearerWrong ? "mismatch" : reason,
    },
  );
}

async function hasBearer(request: Request, secret: string): Promise<boolean> {
  const match = /^Bearer +([\x21-\x7e]+)$/i.exec(request.headers.get("authorization") ?? "");
  if (match?.[1] === undefined) return false;
  const [given, wanted] = await Promise.all([digest(match[1]), digest(secret)]);
  // No early exit: every byte is looked at, whatever differs. The digests have one length whatever was sent.
  let difference = 0;
  wanted.forEach((byte, index) => (difference |= byte ^ (given[index] ?? 0)));
  return difference === 0;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
