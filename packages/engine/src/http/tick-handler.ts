/**
 * The tick route alone, for functions that only tick, so that they load nothing else. It answers exactly like the tick route of the whole
 * API.
 */
import { assertKnownOptions } from "../core/known-names.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { Logger } from "../ports/logger.ts";
import type { EngineService } from "../ports/service.ts";
import type { TickInput } from "../ports/tick.ts";
import { refuseUnmatched, toJsonResponse } from "./answer.ts";
import { answerError } from "./answer-error.ts";
import { createCrossSiteGuard } from "./cross-site.ts";
import { limitLog } from "./limited-log.ts";
import { invalidRequest, unknownField } from "./issues.ts";
import {
  DEFAULT_MOUNT_ROUTE,
  MAX_TICK_BODY_BYTES,
  parseMountRoute,
  TICK_PATH,
  toRequestLogger,
} from "./mount.ts";
import { type Bytes, parseJsonBody, readBody } from "./request-body.ts";
import { createTickMatch } from "./request-match.ts";
import { createTickGuard, type TickGuard, type TickOptions } from "./tick-guard.ts";

/** Secrets of the tick route, its path, and a handler for other requests. */
export interface TickHandlerOptions {
  /** The path that the route begins with. @default "/api/workflows" */
  readonly mountRoute?: string;
  /** @default closed */
  readonly tick?: TickOptions;
  /** @default the console */
  readonly logger?: Logger;
  /** The process's clock in epoch milliseconds, for the validity of signatures. @default Date.now */
  readonly now?: () => EpochMs;
  /** Answers requests for other routes. @default 404 */
  readonly otherwise?: (request: Request) => Promise<Response>;
  /**
   * Answers an authorized tick, for platforms where an answer begins before its work is done.
   *
   * @param tick runs the tick as requested, and resolves to the answer that would otherwise be given; it never rejects
   * @default answers once the tick is done
   */
  readonly respond?: (
    request: Request,
    tick: (told?: TickInput) => Promise<Response>,
  ) => Response | Promise<Response>;
}

const TICK_HANDLER_OPTIONS: Readonly<Record<keyof TickHandlerOptions, 1>> = {
  mountRoute: 1,
  tick: 1,
  logger: 1,
  now: 1,
  otherwise: 1,
  respond: 1,
};

type Ticker = Pick<EngineService, "tick">;

/**
 * Creates the tick route alone, for an engine that serves nothing else.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when an option cannot work; UNKNOWN_OPTION
 */
export function createTickHandler(
  service: Ticker,
  options: TickHandlerOptions = {},
): (request: Request) => Promise<Response> {
  assertKnownOptions("the handler", options, TICK_HANDLER_OPTIONS);
  const path = `${parseMountRoute(options.mountRoute ?? DEFAULT_MOUNT_ROUTE)}${TICK_PATH}`;
  const { tick = {}, now = Date.now, otherwise, respond = (_request, run) => run() } = options;
  const guard = createTickGuard(tick, path, now);
  const guardCrossSite = createCrossSiteGuard();
  const logger = limitLog(toRequestLogger(options.logger), now);
  const isTick = createTickMatch(options.mountRoute);
  const answer = async (work: () => Promise<Response>): Promise<Response> => {
    try {
      return await work();
    } catch (caught) {
      return answerError(logger, caught, "tick");
    }
  };
  return async (request) => {
    if (!isTick(request)) return otherwise?.(request) ?? refuseUnmatched([]);
    const { method } = request;
    if (method !== "GET" && method !== "POST") return refuseUnmatched(["POST", "GET"]);
    return answer(async () => {
      guardCrossSite(request, "tick");
      const input = await readTick(request, guard);
      const deadline = tick.deadline?.(request) ?? null;
      return respond(request, (told) =>
        answer(async () => toJsonResponse(await service.tick({ ...input, ...told, deadline }))),
      );
    });
  };
}

async function readTick(request: Request, guard: TickGuard): Promise<TickInput> {
  let body: Promise<Bytes> | null = null;
  const readOnce = (): Promise<Bytes> => (body ??= readBody(request, MAX_TICK_BODY_BYTES));
  await guard(request, readOnce);
  if (request.method === "GET") return parseLimits(new URL(request.url).searchParams, "query");
  const fields = parseJsonBody(request.headers, await readOnce());
  return parseLimits(toFields(fields), "body");
}

function toFields(body: unknown): ReadonlyMap<string, unknown> {
  if (typeof body === "object" && body !== null && !Array.isArray(body))
    return new Map(Object.entries(body));
  throw invalidRequest([{ path: "body", expected: "an object", received: "something else" }]);
}

const LIMITS = ["maxInstances", "maxSteps"] as const;

/** Two whole numbers above 0, as text in a query; a body has no other field. */
function parseLimits(
  fields: Pick<ReadonlyMap<string, unknown>, "get" | "keys"> | URLSearchParams,
  place: "query" | "body",
): TickInput {
  const unread = [...fields.keys()].find((field) => !LIMITS.some((limit) => limit === field));
  if (place === "body" && unread !== undefined) {
    const path = `body.${unread.slice(0, 80)}`;
    throw invalidRequest([unknownField(path, LIMITS)]);
  }
  const input: { maxInstances?: number; maxSteps?: number } = {};
  for (const limit of LIMITS) {
    const given = fields.get(limit) ?? null;
    if (given === null) continue;
    const value = typeof given === "string" && place === "query" ? toWholeNumber(given) : given;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
      const received = (JSON.stringify(given) ?? typeof given).slice(0, 80);
      const expected = "a whole number of at least 1";
      throw invalidRequest([{ path: `${place}.${limit}`, expected, received }]);
    }
    input[limit] = value;
  }
  return input;
}

const toWholeNumber = (text: string): number =>
  /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
