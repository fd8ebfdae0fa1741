/**
 * Callbacks: waits that anyone with their token can end. A callback's wait is an ordinary wait for an event. Its type contains
 * a space, so nobody can send it or wait for it by hand. One event of that type is stored; its id contains a space, too.
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

/** The longest token: twice the length that names within the default limits can reach. */
const MAX_TOKEN_LENGTH = 16_384;

/** The part of a token that names its step. */
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
 * The text that is signed. No other signature of Escapement covers a text like it, in case keys are shared.
 *
 * @param namespace of the engine; it keeps databases apart that share keys
 */
export const toSignedText = (namespace: string, claim: string): string =>
  `callback.v1.${encodeURIComponent(namespace)}.${claim}`;

/** Splits a token into its claim and the bytes of its signature; null: not a token. */
export function splitToken(
  token: unknown,
): { readonly claim: string; readonly signature: Uint8Array<ArrayBuffer> } | null {
  if (typeof token !== "string" || token.length > MAX_TOKEN_LENGTH) return null;
  // 32 bytes are 43 characters.
  const [, claim = "", signature = ""] = /^([\w-]+)\.([\w-]{43})$/.exec(token) ?? [];
  return claim === "" ? null : { claim, signature: fromBase64Url(signature) };
}

/** Reads what `toCallbackClaim` wrote. Call it only after the signature has been verified. */
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
