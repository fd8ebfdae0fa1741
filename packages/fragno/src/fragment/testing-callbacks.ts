/** For the tests of the fragment: callback tokens, by code that is independent of the engine's. */

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** The token of the callback `a` of the first run of an instance of `my order`. */
export async function signToken(key: string, instanceId: string): Promise<string> {
  const claim = toBase64Url(encode(JSON.stringify(["my order", instanceId, 1, "a"])));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", encode(key), algorithm, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", imported, encode(`callback.v1..${claim}`));
  return `${claim}.${toBase64Url(new Uint8Array(signature))}`;
}
