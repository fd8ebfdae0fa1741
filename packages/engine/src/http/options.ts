/** Options of the HTTP API, and what they become once checked. */
import type { EpochMs } from "../core/model/records.ts";
import type { Logger } from "../ports/logger.ts";
import type { EngineService } from "../ports/service.ts";
import type { Authorize } from "./authorize.ts";
import type { BodyLimit, RoutePolicy } from "./route.ts";
import {
  DEFAULT_MOUNT_ROUTE,
  MAX_TICK_BODY_BYTES,
  parseMountRoute,
  TICK_PATH,
  toSafeLogger,
} from "./mount.ts";
import { createTickGuard, invalidOption, type TickGuard, type TickOptions } from "./tick-guard.ts";

export interface FetchHandlerOptions {
  /** Path under which the routes are. @default "/api/workflows" */
  readonly mountRoute?: string;
  /** Asked first, on every route. @default lets everything pass, but ticks need their secret */
  readonly authorizeRequest?: Authorize;
  /** Asked after `authorizeRequest`, on the routes of that policy. @default none */
  readonly policies?: Readonly<Partial<Record<RoutePolicy, Authorize>>>;
  /** @default closed */
  readonly tick?: TickOptions;
  readonly limits?: {
    /** Bytes of a body that carries one payload. @default 2 MiB, twice the payload limit, for JSON's escapes */
    readonly maxBodyBytes?: number;
    /** Bytes of a batch's body. @default 16 MiB */
    readonly maxBatchBodyBytes?: number;
  };
  /** Told of refused ticks and of errors from status 500 on. @default console.error, errors only */
  readonly logger?: Logger;
  /** Process clock in epoch milliseconds, for the signatures' window. @default Date.now */
  readonly now?: () => EpochMs;
}

const MIB = 1024 * 1024;
/** Everything that the routes share, checked. */
export interface Shell {
  readonly service: EngineService;
  readonly options: FetchHandlerOptions;
  /** Starts with a slash and does not end with one; "" is the root. */
  readonly mountRoute: string;
  readonly guardTick: TickGuard;
  readonly maxBytes: Readonly<Record<BodyLimit, number>>;
  readonly logger: Logger;
}

/**
 * Checks the options once, at the start.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export function createShell(service: EngineService, options: FetchHandlerOptions): Shell {
  const mountRoute = parseMountRoute(options.mountRoute ?? DEFAULT_MOUNT_ROUTE);
  const audience = `${mountRoute}${TICK_PATH}`;
  return {
    service,
    options,
    mountRoute,
    guardTick: createTickGuard(options.tick ?? {}, audience, options.now ?? Date.now),
    maxBytes: {
      none: 0,
      single: parseLimit(options.limits?.maxBodyBytes ?? 2 * MIB, "limits.maxBodyBytes"),
      batch: parseLimit(options.limits?.maxBatchBodyBytes ?? 16 * MIB, "limits.maxBatchBodyBytes"),
      tick: MAX_TICK_BODY_BYTES,
    },
    logger: toSafeLogger(options.logger),
  };
}

function parseLimit(bytes: number, path: string): number {
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw invalidOption(path, "a whole number of bytes above 0");
}
