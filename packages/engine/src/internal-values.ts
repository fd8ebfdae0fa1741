/**
 * @module What our packages share that run no workflows: Fragno's clients in browsers, and traces. Nothing here loads code late, and nothing
 * comes with it: through `./internal`, a bundler that splits would give them the verbs. No promise from one version to the next.
 */
export { TOPIC_TASKS } from "./core/engine-names.ts";
export { WorkflowError } from "./core/errors.ts";
export { instanceKey } from "./core/model/instance-key.ts";
export { DEFAULT_MOUNT_ROUTE } from "./http/mount.ts";
export { COMMON_ERRORS } from "./http/reference-entry.ts";
export { ROUTE_REFERENCE } from "./http/route-reference.ts";
export { listRoutes } from "./http/routes.ts";
export { anyShape } from "./http/schemas.ts";
