/** What the whole API and the tick handler have in common: their mount path, and their log. */
import type { Logger } from "../ports/logger.ts";
import { toSafeLogger } from "../ports/safe-logger.ts";
import { invalidOption } from "./invalid-option.ts";

/** Default of `mountRoute`. */
export const DEFAULT_MOUNT_ROUTE = "/api/workflows";

/** Path of a workflow's instances below the mount path. */
export const INSTANCES_PATH = "/workflows/:workflowName/instances";

/** Path of an instance below the mount path. */
export const INSTANCE_PATH = "/workflows/:workflowName/instances/:instanceId";

/** Path of the tick route below the mount path. */
export const TICK_PATH = "/_runner/tick";

const MAX_MOUNT_LENGTH = 1000;

/** A tick's body has two numbers, and is read before the sender is known. */
export const MAX_TICK_BODY_BYTES: number = 16 * 1024;

/**
 * The most values and field names in a body, by default. Parsing and checking this many takes some 20 ms. A body of a few MiB can
 * contain forty times as many, and the process does nothing else meanwhile.
 */
export const MAX_JSON_VALUES = 50_000;

const consoleLogger: Logger = {
  log: (level, event, fields) => {
    if (level === "error" || level === "warn") console[level](event, JSON.stringify(fields));
  },
};

/** The log for requests. Without a host's logger: warnings and errors on the console. */
export const toRequestLogger = (logger: Logger = consoleLogger): Logger => toSafeLogger(logger);

/**
 * Only plain segments are allowed: a segment with a meaning to a router would be mounted elsewhere than it says.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export function parseMountRoute(mountRoute: string): string {
  const segments = mountRoute.slice(0, MAX_MOUNT_LENGTH + 1).split("/");
  // "/" and a slash at the end are the same as none.
  while (segments.at(-1) === "") segments.pop();
  const [first = "", ...rest] = segments;
  const isPlain =
    first === "" && rest.every((segment) => /^[\w.~-]+$/.test(segment) && !isDots(segment));
  if (isPlain && mountRoute.length <= MAX_MOUNT_LENGTH)
    return rest.map((segment) => `/${segment}`).join("");
  throw invalidOption("mountRoute", "a path such as /api/workflows");
}

/** A URL cannot contain such a segment. */
const isDots = (segment: string): boolean => segment === "." || segment === "..";
