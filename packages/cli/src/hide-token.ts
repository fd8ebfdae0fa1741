/** Nothing that is printed has the token, whoever sent it back; no message has the database's password. */

/** Shorter ones stand in words by chance. */
const LEAST_LENGTH = 8;
const LEAST_PASSWORD = 4;

/** @param token the caller's; absent: there is none to hide */
export const hideToken = (text: string, token: string | undefined): string =>
  token === undefined || token.length < LEAST_LENGTH ? text : text.replaceAll(token, "[token]");

/** What messages may hold and must not show. */
export interface Secrets {
  readonly token?: string | undefined;
  /** What `--db` names, which may hold a password or a token. */
  readonly db?: string | undefined;
  /** The same of `replay --from`. */
  readonly from?: string | undefined;
}

/** For messages, which drivers write too. */
export function hideSecrets(text: string, { token, db, from }: Secrets): string {
  const hidden = hideToken(text, token);
  const secrets = [db, from].flatMap(secretsOf);
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), hidden);
}

/** The longest first: the URL has the others in it. A path is no secret. */
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
