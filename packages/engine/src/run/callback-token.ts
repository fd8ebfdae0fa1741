/** @module Signs and reads the tokens of callbacks. Loaded when a process first needs one. */
import {
  type CallbackRef,
  parseCallbackClaim,
  splitToken,
  toCallbackClaim,
  toSignedText,
} from "../core/callback.ts";
import { toBase64Url } from "../core/base64-url.ts";
import type { CallbackSigning } from "./callback-options.ts";

/** The token of a step: the same on every replay, as long as the first key is the same. */
export async function signCallback(
  { signingKeys: [key = ""], namespace }: CallbackSigning,
  ref: CallbackRef,
): Promise<string> {
  const claim = toCallbackClaim(ref);
  const text = new TextEncoder().encode(toSignedText(namespace, claim));
  const signature = await crypto.subtle.sign("HMAC", await importKey(key, "sign"), text);
  return `${claim}.${toBase64Url(new Uint8Array(signature))}`;
}

/** Reads what a token is for, whichever of the keys signed it; null: it is not one of our tokens. */
export async function readCallback(
  { signingKeys, namespace }: CallbackSigning,
  token: unknown,
): Promise<CallbackRef | null> {
  const parts = splitToken(token);
  if (parts === null) return null;
  const text = new TextEncoder().encode(toSignedText(namespace, parts.claim));
  for (const key of signingKeys) {
    // WebCrypto compares in constant time.
    const verifyKey = await importKey(key, "verify");
    if (await crypto.subtle.verify("HMAC", verifyKey, parts.signature, text))
      return parseCallbackClaim(parts.claim);
  }
  return null;
}

function importKey(key: string, usage: "sign" | "verify"): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", new TextEncoder().encode(key), algorithm, false, [usage]);
}
