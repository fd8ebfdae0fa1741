/** Bearer secrets as an authorizer. */
import { WorkflowError } from "../core/errors.ts";
import type { Authorize } from "./access.ts";
import { answerRefusal } from "./late-answer.ts";
import { createSecretCheck, parseSecret, parseSecrets, readBearer } from "./secrets.ts";

/**
 * Creates an authorizer that admits requests with one of the secrets in `Authorization: Bearer …`, compared in constant time.
 *
 * ```ts
 * const http = { authorizeRequest: bearerAuth(process.env["API_TOKEN"]) }; // for createEngine({ http })
 * ```
 *
 * Callers in your own process, such as `engine.workflows.ORDER.create()`, need no secret. Requests for the tick routes pass,
 * because these have their own secrets (`http.tick`).
 *
 * @param secrets one, or several while you rotate them: put the new one first, and remove the old one when no client sends it
 *   any more. Each at least 24 random printable ASCII characters, such as `openssl rand -base64 32` gives
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — a secret is missing, empty, short, repeated or a placeholder
 */
export function bearerAuth(
  secrets: string | undefined | readonly (string | undefined)[],
): Authorize {
  // A missing environment variable must prevent the start, not open the API.
  const isKnown = createSecretCheck(
    typeof secrets === "object"
      ? parseSecrets(secrets, "bearerAuth")
      : [parseSecret(secrets, "bearerAuth")],
  );
  return async ({ request, policy }) => {
    if (policy === "tick") return;
    const given = readBearer(request);
    if (given !== null && (await isKnown(given))) return;
    return answerRefusal(
      new WorkflowError("UNAUTHORIZED", "The bearer secret is missing or was refused."),
      { "www-authenticate": "Bearer" },
    );
  };
}
