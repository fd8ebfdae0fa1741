/** Signatures in the turn in which they are asked for: WebCrypto's come in a later one, which no seed decides. */
import { createHmac, timingSafeEqual } from "node:crypto";

const keys = new WeakMap<object, Uint8Array>();

/** Puts the same HMAC-SHA-256 in the place of WebCrypto's; all else stays. */
export function signAtOnce(): void {
  const { subtle } = crypto;
  if (keys.has(subtle)) return;
  keys.set(subtle, new Uint8Array());
  const importKey = subtle.importKey.bind(subtle) as (...all: unknown[]) => Promise<CryptoKey>;
  const replaced = {
    importKey: (format: string, data: Uint8Array, ...rest: unknown[]): Promise<CryptoKey> => {
      const [algorithm] = rest as [{ name?: string; hash?: string } | string];
      const isOurs =
        typeof algorithm === "object" && algorithm.name === "HMAC" && algorithm.hash === "SHA-256";
      if (format !== "raw" || !isOurs) return importKey(format, data, ...rest);
      const key = Object.create(null) as CryptoKey;
      keys.set(key, new Uint8Array(data));
      return Promise.resolve(key);
    },
    sign: (algorithm: unknown, key: CryptoKey, data: Uint8Array): Promise<ArrayBuffer> => {
      const secret = keys.get(key);
      if (secret === undefined) return original.sign(algorithm, key, data);
      const { buffer } = new Uint8Array(hmac(secret, data));
      return Promise.resolve(buffer);
    },
    verify: (
      algorithm: unknown,
      key: CryptoKey,
      signature: Uint8Array,
      data: Uint8Array,
    ): Promise<boolean> => {
      const secret = keys.get(key);
      if (secret === undefined) return original.verify(algorithm, key, signature, data);
      const expected = hmac(secret, data);
      const isRight =
        expected.byteLength === signature.byteLength && timingSafeEqual(expected, signature);
      return Promise.resolve(isRight);
    },
  };
  const original = {
    sign: subtle.sign.bind(subtle) as (...all: unknown[]) => Promise<ArrayBuffer>,
    verify: subtle.verify.bind(subtle) as (...all: unknown[]) => Promise<boolean>,
  };
  for (const [name, value] of Object.entries(replaced))
    Object.defineProperty(subtle, name, { value, configurable: true });
}

const hmac = (secret: Uint8Array, data: Uint8Array): Uint8Array =>
  createHmac("sha256", secret).update(data).digest();
