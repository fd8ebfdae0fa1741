/** Printed text never contains the token, whoever sent it back, and messages never contain the database's password. */

/** Shorter secrets occur in words by chance. */
const LEAST_LENGTH = 8;
const LEAST_PASSWORD = 4;

/** @param token the caller's; absent: there is nothing to hide */
export const hideToken = (text: string, token: string | undefined): string =>
  token === undefined || token.length < LEAST_LENGTH ? text : text.replaceAll(token, "[token]");

/** Secrets that messages might contain and must not show. */
export interface Secrets {
  readonly token?: string | undefined;
  /** The value of `--db`, which may contain a password or a token. */
  readonly db?: string | undefined;
  /** The same for `replay --from`. */
  readonly from?: string | undefined;
}

/** For messages, which may come from drivers. */
export function hideSecrets(text: string, { token, db, from }: Secrets): string {
  const hidden = hideToken(text, token);
  const secrets = [db, from].flatMap(secretsOf);
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), hidden);
}

/** The longest one first, because the URL contains the others. A path is not a secret. */
function secretsOf(db: string | undefined): readonly string[] {
  if (db === undefined || !/^[a-z+]{2,}:\/\//i.test(db)) return [];
  const password = /^[^/]*\/\/[^/@]*?:(.*)@/.exec(db)?.[1] ?? "";
  const parameters = [...db.matchAll(/[?&](?:authToken|password|jwt)=([^&#]*)/gi)];
  const texts = [password, ...parameters.map(([, value = ""]) => value)];
  const secrets = texts.flatMap((secret) => [secret, decoded(secret)]);
  return [db, ...secrets.filter((secret) => secret.length >= LEAST_PASSWORD)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
