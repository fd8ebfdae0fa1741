/** One password for everybody, by what browsers have built in. */
import { createSecretCheck, parseSecret, toErrorResponse } from "@escapement/engine/http/internal";
import { WorkflowError } from "@escapement/engine";
import type { DashboardOptions } from "./options.ts";

/**
 * Makes browsers ask for a password, and lets in who knows it, whatever the user is called; compared in constant time. Use it over
 * https alone: browsers send it with every request.
 *
 * @param password at least 24 random printable ASCII characters, such as `openssl rand -base64 32` gives
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

/** What follows the first colon; null: the request has none. */
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
