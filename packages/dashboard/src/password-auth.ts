/** One password for everyone, with the password prompt of browsers. */
import { createSecretCheck, parseSecret, toErrorResponse } from "@escapement/engine/http/internal";
import { WorkflowError } from "@escapement/engine";
import type { DashboardOptions } from "./options.ts";

/**
 * Makes browsers ask for a password, and admits everyone who knows it, with any user name; compared in constant time. Use it only over
 * https, because browsers send the password with every request.
 *
 * @param password at least 24 random printable ASCII characters, for example from `openssl rand -base64 32`
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — missing, empty, short, repeated or a placeholder
 */
export function passwordAuth(password: string | undefined): DashboardOptions["authorize"] {
  const isKnown = createSecretCheck([parseSecret(password, "passwordAuth")]);
  return async (request) => {
    const given = readPassword(request);
    if (given !== null && (await isKnown(given))) return true;
    const refusal = new WorkflowError("UNAUTHORIZED", "The password is missing or was refused.");
    return toErrorResponse(refusal, {
      "www-authenticate": 'Basic realm="Escapement", charset="UTF-8"',
    });
  };
}

/** The part after the first colon; null: there is none. */
function readPassword({ headers }: Request): string | null {
  const [, encoded] =
    /^Basic +([A-Za-z0-9+/]{1,2000}={0,2})$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (encoded === undefined) return null;
  try {
    const text = atob(encoded);
    const colon = text.indexOf(":");
    return colon < 0 ? null : text.slice(colon + 1);
  } catch {
    return null;
  }
}
