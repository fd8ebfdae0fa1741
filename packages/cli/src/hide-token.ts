/** Nothing that is printed has the token, whoever sent it back. */

/** Shorter ones stand in words by chance. */
const LEAST_LENGTH = 8;

/** @param token the caller's; absent: there is none to hide */
export const hideToken = (text: string, token: string | undefined): string =>
  token === undefined || token.length < LEAST_LENGTH ? text : text.replaceAll(token, "[token]");
