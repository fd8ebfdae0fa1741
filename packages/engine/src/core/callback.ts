/**
 * Callbacks: waits that are ended by who has their token. A callback's wait is an ordinary wait for an event of a type that
 * nobody can send or wait for by hand, since types have no spaces; one event of it is stored, under an id that has one too.
 */
import { fromBase64 } from "./base64.ts";
import { toBase64Url } from "./base64-url.ts";
import type { RunRef } from "./model/records.ts";

/** The step of a run that a token is for. */
export interface CallbackRef extends RunRef {
  readonly stepKey: string;
}

/** The type and the id of the event that ends a callback's wait. */
export const toCallbackEvent = (stepKey: string): string => `callback ${stepKey}`;

/** Longest token: twice what names of the default limits come to. */
const MAX_TOKEN_LENGTH = 16_384;

/** The part of a token that says what it is for. */
export const toCallbackClaim = ({
  workflowName,
  instanceId,
  runNumber,
  stepKey,
}: CallbackRef): string =>
  toBase64Url(
    new TextEncoder().encode(JSON.stringify([workflowName, instanceId, runNumber, stepKey])),
  );

/**
 * What is signed. No other signature of Escapement covers a text like it, should keys be shared.
 *
 * @param namespace the engine's: tells databases apart that share keys
 */
export const toSignedText = (namespace: string, claim: string): string =>
  `callback.v1.${encodeURIComponent(namespace)}.${claim}`;

/** Splits a token into what it is for and the signature's bytes; null: it is none. */
export function splitToken(
  token: unknown,
): { readonly claim: string; readonly signature: Uint8Array<ArrayBuffer> } | null {
  if (typeof token !== "string" || token.length > MAX_TOKEN_LENGTH) return null;
  // 32 bytes are 43 characters.
  const [, claim = "", signature = ""] = /^([\w-]+)\.([\w-]{43})$/.exec(token) ?? [];
  return claim === "" ? null : { claim, signature: fromBase64Url(signature) };
}

/** Reads what `toCallbackClaim` wrote; only to be asked of what a signature covers. */
export function parseCallbackClaim(claim: string): CallbackRef {
  const text = new TextDecoder().decode(fromBase64Url(claim));
  const [workflowName, instanceId, runNumber, stepKey] = JSON.parse(text) as [
    string,
    string,
    number,
    string,
  ];
  return { workflowName, instanceId, runNumber, stepKey };
}

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
