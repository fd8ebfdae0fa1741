/**
 * The signed envelope of a tick request, for senders (adapters, self-calls) and receivers of ticks.
 *
 * Headers as in Standard Webhooks. The signed text also covers method and audience, so that a signature cannot be used on another route
 * or environment that shares the key. A replay inside the window runs one more tick, which is harmless by design, so there is no nonce
 * store.
 *
 * @source https://www.standardwebhooks.com (headers, `v1,` list, id without separator, 300 s window)
 */

import { fromBase64, toBase64 } from "../core/base64.ts";
import { parseSecrets } from "./secrets.ts";

/** By how many seconds a signature's time may differ, in both directions. */
export const DEFAULT_WINDOW_SECONDS = 300;

/** More than a rotation needs; a longer list only costs time. */
const MAX_SIGNATURES = 8;
const ID_PATTERN = /^[A-Za-z0-9_-]{1,100}$/;

/** What a signature covers. */
export interface TickEnvelope {
  /** 1–100 letters, digits, `-` and `_`. */
  readonly id: string;
  /** Whole seconds since 1970-01-01 UTC, by the sender's clock. */
  readonly timestampSeconds: number;
  readonly method: "GET" | "POST";
  /** The receiver of the tick: namespace, environment and path. */
  readonly audience: string;
  /** The body exactly as sent; a GET has an empty one. */
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** Why a tick was refused. The caller is told, because none of the reasons helps to forge a tick. */
export type TickRefusal = "missing" | "malformed" | "stale" | "mismatch";

/** Whether a tick's signature is valid, or why not. */
export type TickVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: TickRefusal };

/** Keys, audience and clock of signed ticks. */
export interface TickSignerOptions {
  /** The current key first; only that one signs. At least 24 bytes. */
  readonly signingKeys: readonly string[];
  readonly audience: string;
  /** Process clock in epoch milliseconds. @default Date.now */
  readonly now?: () => number;
  /** @default crypto.randomUUID */
  readonly newId?: () => string;
}

/** A signed tick, and what to check it against. */
export interface VerifyTickInput {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  /** The current key first, then older ones that are still valid. */
  readonly signingKeys: readonly string[];
  readonly audience: string;
  /** @default 300 */
  readonly windowSeconds?: number;
  /** Process clock in epoch milliseconds. */
  readonly now: number;
}

/** Headers to send with the tick. */
type TickHeaders = {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
};

/** Creates a function that signs ticks for one audience. @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — weak keys */
export function createTickSigner(
  options: TickSignerOptions,
): (method: "GET" | "POST", body?: string) => Promise<TickHeaders> {
  const now = options.now ?? Date.now;
  const newId = options.newId ?? ((): string => crypto.randomUUID());
  const [key = ""] = parseSecrets(options.signingKeys, "signingKeys");
  const { audience } = options;
  return (method, body = "") => {
    const timestampSeconds = Math.floor(now() / 1000);
    return signTick(key, { id: newId(), timestampSeconds, method, audience, body });
  };
}

/** Signs one tick. */
export async function signTick(key: string, envelope: TickEnvelope): Promise<TickHeaders> {
  const text = await toSignedText(envelope);
  const signature = await crypto.subtle.sign("HMAC", await importKey(key, "sign"), text);
  return {
    "webhook-id": envelope.id,
    "webhook-timestamp": String(envelope.timestampSeconds),
    "webhook-signature": `v1,${toBase64(new Uint8Array(signature))}`,
  };
}

/** Checks one tick against every key, in constant time for each (WebCrypto's own comparison). */
export async function verifyTick(input: VerifyTickInput): Promise<TickVerdict> {
  const id = input.headers.get("webhook-id");
  const timestamp = input.headers.get("webhook-timestamp");
  const list = input.headers.get("webhook-signature");
  if (id === null || timestamp === null || list === null) return { ok: false, reason: "missing" };
  const signatures = parseSignatures(list);
  const isWellFormed = ID_PATTERN.test(id) && /^\d{1,12}$/.test(timestamp) && signatures.length > 0;
  if (!isWellFormed) return { ok: false, reason: "malformed" };
  const timestampSeconds = Number(timestamp);
  const offSeconds = Math.abs(input.now / 1000 - timestampSeconds);
  const windowSeconds = input.windowSeconds ?? DEFAULT_WINDOW_SECONDS;
  if (offSeconds > windowSeconds) return { ok: false, reason: "stale" };
  const { audience, body } = input;
  const text = await toSignedText({ id, timestampSeconds, method: input.method, audience, body });
  const isGenuine = await matchesAny(text, signatures, input.signingKeys);
  return isGenuine ? { ok: true } : { ok: false, reason: "mismatch" };
}

async function matchesAny(
  text: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  keys: readonly string[],
): Promise<boolean> {
  for (const key of keys) {
    const cryptoKey = await importKey(key, "verify");
    for (const signature of signatures) {
      if (await crypto.subtle.verify("HMAC", cryptoKey, signature, text)) return true;
    }
  }
  return false;
}

/** `id.unixSeconds.METHOD.audience.sha256hex(body)`; only the audience may contain dots, so the text is unambiguous. */
async function toSignedText(
  envelope: Omit<TickEnvelope, "method"> & { readonly method: string },
): Promise<Uint8Array<ArrayBuffer>> {
  const { id, timestampSeconds, method, audience, body } = envelope;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return new TextEncoder().encode([id, timestampSeconds, method, audience, hex].join("."));
}

function parseSignatures(list: string): readonly Uint8Array<ArrayBuffer>[] {
  const signatures: Uint8Array<ArrayBuffer>[] = [];
  for (const entry of list.split(" ").slice(0, MAX_SIGNATURES)) {
    // 32 bytes are 43 base64 characters and one of padding; versions other than v1 are skipped.
    const match = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(entry);
    if (match?.[1] === undefined) continue;
    signatures.push(fromBase64(match[1]));
  }
  return signatures;
}

function importKey(key: string, usage: "sign" | "verify"): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", new TextEncoder().encode(key), algorithm, false, [usage]);
}
