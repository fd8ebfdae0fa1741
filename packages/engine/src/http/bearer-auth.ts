/** Bearer secrets as an authorizer. */
import { WorkflowError } from "../core/errors.ts";
import { toErrorResponse } from "./answer.ts";
import type { Authorize } from "./authorize.ts";
import { createSecretCheck, parseSecrets, readBearer } from "./secrets.ts";

/**
 * Lets in who sends one of the secrets as `Authorization: Bearer …`, compared in constant time.
 *
 * The tick routes pass: they have secrets of their own (`http.tick`).
 *
 * @param secrets one, or several while they are rotated: put the new one first, drop the old one once no client sends it.
 *   Each at least 24 random printable ASCII characters, such as `openssl rand -base64 32` gives
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — a secret is missing, empty, short, repeated or a placeholder
 */
export function bearerAuth(
  secrets: string | undefined | readonly (string | undefined)[],
): Authorize {
  // An environment variable that is not set must stop the start, not open the door.
  const isKnown = createSecretCheck(
    parseSecrets(typeof secrets === "object" ? secrets : [secrets], "bearerAuth"),
  );
  return async ({ request, policy }) => {
    if (policy === "tick") return;
    const given = readBearer(request);
    if (given !== null && (await isKnown(given))) return;
    return toErrorResponse(
      new WorkflowError("UNAUTHORIZED", "The bearer secret is missing or was refused."),
      { "www-authenticate": "Bearer" },
    );
  };
}
