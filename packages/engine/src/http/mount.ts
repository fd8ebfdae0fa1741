/** What the whole API and the tick handler share: where they are mounted, and how they log. */
import type { Logger } from "../ports/logger.ts";
import { invalidOption } from "./tick-guard.ts";

/** Default of `mountRoute`. */
export const DEFAULT_MOUNT_ROUTE = "/api/workflows";

/** Path of the tick route below the mount path. */
export const TICK_PATH = "/_runner/tick";

/** A tick's body is two numbers, and is read before the sender is known. */
export const MAX_TICK_BODY_BYTES: number = 16 * 1024;

const consoleLogger: Logger = {
  log: (level, event, fields) => {
    if (level === "error") console.error(event, JSON.stringify(fields));
  },
};

/** A log that fails must not fail the request that it is about. Without a logger: errors on the console. */
export function toSafeLogger(logger: Logger = consoleLogger): Logger {
  return {
    log: (level, event, fields) => {
      try {
        logger.log(level, event, fields);
      } catch {
        // Nowhere left to tell it.
      }
    },
  };
}

/**
 * Plain segments only: what means something to a router would mount elsewhere than it reads.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export function parseMountRoute(mountRoute: string): string {
  const path = mountRoute.replace(/\/+$/, "");
  if (/^(\/[\w.~-]+)*$/.test(path)) return path;
  throw invalidOption("mountRoute", "a path such as /api/workflows");
}
