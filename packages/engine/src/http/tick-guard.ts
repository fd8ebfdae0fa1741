/** Admits a tick only with a bearer secret or a valid signature. If neither is configured, the route is closed. */
import { WorkflowError } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { EpochMs } from "../core/model/records.ts";
import { invalidOption } from "./invalid-option.ts";
import type { Bytes } from "./request-body.ts";
import { createSecretCheck, parseSecret, parseSecrets, readBearer } from "./secrets.ts";
import { DEFAULT_WINDOW_SECONDS, verifyTick, type TickVerdict } from "./tick-signature.ts";

/**
 * Who may tick over HTTP. Without a secret and without keys, the tick route is closed (TICK_DISABLED). An option that is
 * undefined counts as not set.
 */
export interface TickOptions {
  /** Accepted as `Authorization: Bearer …`. At least 24 bytes of random, printable ASCII without spaces. @default none */
  readonly bearerSecret?: string | undefined;
  /** HMAC keys: the current one first, then earlier ones; each like `bearerSecret`. @default none */
  readonly signingKeys?: readonly string[] | undefined;
  /**
   * The audience that signatures must have. If environments share keys, name the environment in it.
   * @default the tick route's path, for example `/api/workflows/_runner/tick`
   */
  readonly audience?: string | undefined;
  /** By how many seconds the time of a signature may differ, in both directions. @default 300 @minimum 1 @maximum 86400 */
  readonly windowSeconds?: number | undefined;
  /** When the invocation that took the request is killed, by the process's clock; null: never. @default none */
  readonly deadline?: (request: Request) => EpochMs | null;
}

const TICK_OPTIONS: Readonly<Record<keyof TickOptions, 1>> = {
  bearerSecret: 1,
  signingKeys: 1,
  audience: 1,
  windowSeconds: 1,
  deadline: 1,
};

/** Passes, or throws TICK_DISABLED or TICK_UNAUTHORIZED. */
export type TickGuard = (request: Request, readBody: () => Promise<Bytes>) => Promise<void>;

/**
 * Creates the guard.
 *
 * @param now process clock in epoch milliseconds
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when a secret is weak or cannot be sent in a header; UNKNOWN_OPTION
 */
export function createTickGuard(
  options: TickOptions,
  defaultAudience: string,
  now: () => EpochMs,
): TickGuard {
  assertKnownOptions("tick", options, TICK_OPTIONS);
  const { bearerSecret, signingKeys = [], audience = defaultAudience } = options;
  const windowSeconds = options.windowSeconds ?? DEFAULT_WINDOW_SECONDS;
  const hasBearer = createBearerCheck(bearerSecret);
  // An empty list means no keys; a string would be treated as a list of its characters.
  if (!Array.isArray(signingKeys) || signingKeys.length > 0)
    parseSecrets(signingKeys, "tick.signingKeys");
  if (!(windowSeconds >= 1 && windowSeconds <= 86_400)) {
    throw invalidOption("tick.windowSeconds", "a number from 1 to 86400");
  }
  if (audience === "") throw invalidOption("tick.audience", "text");
  if (bearerSecret === undefined && signingKeys.length === 0) return refuseAll;

  return async (request, readBody) => {
    if (await hasBearer(request)) return;
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

function createBearerCheck(secret: string | undefined): (request: Request) => Promise<boolean> {
  if (secret === undefined) return async () => false;
  const isKnown = createSecretCheck([parseSecret(secret, "tick.bearerSecret")]);
  return async (request) => {
    const given = readBearer(request);
    return given !== null && isKnown(given);
  };
}

async function refuseAll(): Promise<void> {
  throw new WorkflowError("TICK_DISABLED", "Ticks over HTTP are closed: no secret is configured.");
}

function unauthorized(request: Request, reason: string): WorkflowError {
  // "missing" would mislead if there was a wrong bearer secret and no signature.
  const isBearerWrong = reason === "missing" && request.headers.has("authorization");
  return new WorkflowError(
    "TICK_UNAUTHORIZED",
    "The tick's bearer secret or signature was refused.",
    {
      reason: isBearerWrong ? "mismatch" : reason,
    },
  );
}
