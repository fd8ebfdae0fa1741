/** Bytes as text and back, with Web APIs only. */

/** How many bytes one call of `String.fromCharCode` takes. */
const CHUNK_BYTES = 8192;

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  return btoa(binary);
}

/** @throws {DOMException} the text is not base64 */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
