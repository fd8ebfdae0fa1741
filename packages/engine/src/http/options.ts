/** Options of the HTTP API, and their checked form. */
import type { EpochMs } from "../core/model/records.ts";
import type { Logger } from "../ports/logger.ts";
import type { Platform } from "../ports/platform.ts";
import type { EngineService } from "../ports/service.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import { DEFAULT_LIMITS } from "../core/default-limits.ts";
import { assertAccess, type Authorize, isGuarded } from "./access.ts";
import { createCrossSiteGuard, type CrossSiteGuard } from "./cross-site.ts";
import { invalidOption } from "./invalid-option.ts";
import { limitLog } from "./limited-log.ts";
import type { BodyLimit, RoutePolicy } from "./route.ts";
import {
  DEFAULT_MOUNT_ROUTE,
  MAX_JSON_VALUES,
  MAX_TICK_BODY_BYTES,
  parseMountRoute,
  TICK_PATH,
  toRequestLogger,
} from "./mount.ts";
import { createWaitLimit, type WaitLimit } from "./wait-limit.ts";
import { createTickGuard, type TickGuard, type TickOptions } from "./tick-guard.ts";

/** Options of the HTTP API: who may call it, tick secrets, the mount path and limits. */
export interface FetchHandlerOptions {
  /** The path that the routes begin with. @default "/api/workflows" */
  readonly mountRoute?: string;
  /**
   * Decides who may call, before anything else and on every route except that of callbacks: `bearerAuth(secrets)`, or your
   * own check. It may be called twice for one request, to find out whether the caller may also read what the answer contains.
   * @default routes without a policy answer 401
   */
  readonly authorizeRequest?: Authorize;
  /**
   * Called after `authorizeRequest`, for the routes of each policy; `callback` is called alone, before the token is checked.
   * `payloads` is called last, for every route except those of ticks and callbacks: a caller whom it refuses gets the answer
   * without params, outputs, results, payloads, replies, memos and details of errors, and with the header
   * `escapement-payloads: hidden`.
   * @default none
   */
  readonly policies?: Readonly<Partial<Record<RoutePolicy, Authorize>>>;
  /** Lets everybody who can reach this handler start, read and control everything that no authorizer guards. */
  readonly open?: true;
  /** Origins whose pages may call the API from a browser, for example `https://admin.acme.dev`. @default the handler's own */
  readonly trustedOrigins?: readonly string[];
  /** @default closed */
  readonly tick?: TickOptions;
  readonly limits?: {
    /** Bytes of a body that carries one payload. @default 2 MiB, twice the payload limit, for JSON's escapes */
    readonly maxBodyBytes?: number;
    /** Bytes of a batch's body. @default 4 MiB */
    readonly maxBatchBodyBytes?: number;
    /** Values and field names in a body, counted before it is parsed. @default 50000 */
    readonly maxJsonValues?: number;
    /** Instances of a batch, counted before they are looked at. @default 100; in an engine its own limit */
    readonly maxBatchSize?: number;
  };
  /**
   * Logs what is open, refused ticks, and errors with status 500 and above. Repeated lines are logged once a minute. @default
   * the console
   */
  readonly logger?: Logger;
  /** The process's clock in epoch milliseconds, for the validity of signatures. @default Date.now */
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
  readonly guardCrossSite: CrossSiteGuard;
  readonly maxBytes: Readonly<Record<BodyLimit, number>>;
  readonly maxJsonValues: number;
  readonly maxBatchSize: number;
  /** Counts repeated lines instead of writing them. */
  readonly logger: Logger;
  readonly now: () => EpochMs;
  readonly waits: WaitLimit;
  /** The platform that the handler answers on; absent: unknown. */
  readonly platform: AnsweringPlatform | undefined;
}

/** The properties of a platform that answers depend on. */
export type AnsweringPlatform = Pick<Platform, "deadline" | "holdsAnswers">;

const HTTP_OPTIONS: Readonly<Record<keyof FetchHandlerOptions, 1>> = {
  mountRoute: 1,
  authorizeRequest: 1,
  policies: 1,
  open: 1,
  trustedOrigins: 1,
  tick: 1,
  limits: 1,
  logger: 1,
  now: 1,
};

const HTTP_LIMITS: Readonly<Record<keyof NonNullable<FetchHandlerOptions["limits"]>, 1>> = {
  maxBodyBytes: 1,
  maxBatchBodyBytes: 1,
  maxJsonValues: 1,
  maxBatchSize: 1,
};

/**
 * Checks the options once, at the start.
 *
 * @throws {WorkflowError} UNKNOWN_OPTION, DEPLOY_OPTIONS_INVALID
 */
export function createShell(
  service: EngineService,
  options: FetchHandlerOptions,
  platform?: AnsweringPlatform,
): Shell {
  assertKnownOptions("http", options, HTTP_OPTIONS);
  assertKnownOptions("http.limits", options.limits, HTTP_LIMITS);
  assertAccess(options);
  const mountRoute = parseMountRoute(options.mountRoute ?? DEFAULT_MOUNT_ROUTE);
  const { tick = {}, limits = {}, now = Date.now } = options;
  return {
    service,
    options,
    mountRoute,
    guardTick: createTickGuard(tick, `${mountRoute}${TICK_PATH}`, now),
    guardCrossSite: createCrossSiteGuard(options.trustedOrigins),
    maxBytes: {
      none: 0,
      single: parseLimit(limits.maxBodyBytes ?? 2 * MIB, "limits.maxBodyBytes"),
      batch: parseLimit(limits.maxBatchBodyBytes ?? 4 * MIB, "limits.maxBatchBodyBytes"),
      tick: MAX_TICK_BODY_BYTES,
    },
    maxJsonValues: parseLimit(limits.maxJsonValues ?? MAX_JSON_VALUES, "limits.maxJsonValues"),
    maxBatchSize: parseLimit(
      limits.maxBatchSize ?? DEFAULT_LIMITS.maxBatchSize,
      "limits.maxBatchSize",
    ),
    logger: limitLog(toRequestLogger(options.logger), now),
    now,
    waits: createWaitLimit(now),
    platform,
  };
}

const MANAGEMENT: readonly RoutePolicy[] = ["create", "manage", "delete", "events", "read", "view"];

/** Logs once which routes of the mounted API have no authorizer, and whether they are closed or open. */
export function warnOfUnguarded({ options, mountRoute }: Shell, logger: Logger): void {
  const policies = MANAGEMENT.filter((policy) => !isGuarded(options, policy));
  if (policies.length === 0) return;
  if (options.open === true) {
    const meaning = "whoever reaches these routes may start, read and control every instance";
    return logger.log("warn", "http.open", { mountRoute, policies, meaning });
  }
  const remedy = "http.authorizeRequest: bearerAuth(process.env.API_TOKEN), or http.open: true";
  logger.log("warn", "http.closed", { mountRoute, policies, status: 401, remedy });
}

function parseLimit(count: number, path: string): number {
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw invalidOption(path, "a whole number above 0");
}
