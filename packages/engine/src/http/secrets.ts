/** Secrets from hosts: weak ones are refused, and comparisons take constant time. */
import { WorkflowError } from "../core/errors.ts";
import { invalidOption } from "./invalid-option.ts";

/** A key or secret has at least this many bytes. @source Standard Webhooks: 24 to 64 random bytes */
export const MIN_SECRET_BYTES = 24;

/** Texts left by templates, tutorials and unset variables. A random secret contains none of them. */
const PLACEHOLDERS: RegExp =
  /change.?me|placeholder|example|replace.?(me|this|with)|your.?(secret|token|key|password|api)|insert|password|passw0rd|secret.?here|qwerty|undefined|super.?secret|top.?secret|my.?secret|not.?a.?secret|default|dummy|xxxxx/i;

/** One in 65 000 random texts of 24 decimal digits has fewer distinct digits. */
const MIN_DISTINCT = 6;

/**
 * Checks secrets at the start.
 *
 * @param path the option, for the error
 * @returns at least one
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — not a list, empty, or one that is short, unprintable, repeated,
 *   a sequence or a placeholder
 */
export function parseSecrets(secrets: unknown, path: string): readonly string[] {
  // A string would be treated as a list of its characters.
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw invalidOption(path, "a list of at least one secret");
  return secrets.map((secret: unknown, index) => parseSecret(secret, `${path}.${index}`));
}

/** Like `parseSecrets`, for one secret. */
export function parseSecret(secret: unknown, path: string): string {
  // An unset environment variable arrives as "" or undefined, or with the line break of the file that it came from.
  if (secret === undefined || secret === "") throw missingSecret(path);
  if (typeof secret !== "string" || !/^[\x21-\x7e]+$/.test(secret))
    throw invalidOption(path, "printable ASCII characters, no spaces");
  if (secret.length < MIN_SECRET_BYTES)
    throw invalidOption(path, `at least ${MIN_SECRET_BYTES} printable ASCII characters, no spaces`);
  if (isGuessable(secret))
    throw invalidOption(
      path,
      "random: neither a placeholder nor repeated; `openssl rand -base64 32` makes one",
    );
  return secret;
}

/**
 * Creates a function that compares a text with secrets. Every secret is compared, and every byte of each, whatever the text, so that
 * the time it takes reveals nothing.
 */
export function createSecretCheck(secrets: readonly string[]): (given: string) => Promise<boolean> {
  let wanted: Promise<readonly Uint8Array[]> | null = null;
  return async (given) => {
    wanted ??= Promise.all(secrets.map(digest));
    const givenDigest = await digest(given);
    let isKnown = 0;
    for (const secret of await wanted) isKnown |= Number(isSame(secret, givenDigest));
    return isKnown === 1;
  };
}

/** The secret in `Authorization: Bearer …`; null: none. */
export function readBearer({ headers }: Request): string | null {
  return /^Bearer +([\x21-\x7e]+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? null;
}

const missingSecret = (path: string): WorkflowError =>
  new WorkflowError(
    "DEPLOY_OPTIONS_INVALID",
    `No secret was given as ${path}; is its environment variable set?`,
    { path, expected: "a secret" },
  );

function isGuessable(secret: string): boolean {
  return (
    PLACEHOLDERS.test(secret) ||
    new Set(secret).size < MIN_DISTINCT ||
    isRepeated(secret) ||
    isSequence(secret)
  );
}

/** One part, repeated: such a text occurs within its own double before the middle. */
const isRepeated = (secret: string): boolean =>
  `${secret}${secret}`.indexOf(secret, 1) < secret.length;

/** Mostly neighbours in the alphabet: `abcdef…`, `012345…`. */
function isSequence(secret: string): boolean {
  let neighbours = 0;
  for (let index = 1; index < secret.length; index += 1) {
    const distance = secret.charCodeAt(index) - secret.charCodeAt(index - 1);
    if (Math.abs(distance) <= 1) neighbours += 1;
  }
  return neighbours > secret.length / 2;
}

/** Digests have the same length, whatever was sent. */
function isSame(left: Uint8Array, right: Uint8Array): boolean {
  let difference = 0;
  left.forEach((byte, index) => (difference |= byte ^ (right[index] ?? 0)));
  return difference === 0;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
