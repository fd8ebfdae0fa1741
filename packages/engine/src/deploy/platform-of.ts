/** The platform of handlers that are given only an engine. */
import { assertOption } from "./deploy-service.ts";

/**
 * Returns the platform that an engine was created with.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — there is none
 */
export function platformOf<TPlatform>(engine: { readonly platform?: TPlatform }): TPlatform {
  const { platform } = engine;
  assertOption("platform", platform !== undefined, "createEngine({ platform })");
  return platform;
}
