/**
 * The tick route alone, on Hono: for functions that only tick, so that they load no more than that takes. It answers
 * exactly as the tick route of the whole API.
 */
import { Hono } from "hono/tiny";
import type { EpochMs } from "../core/model/records.ts";
import type { Logger } from "../ports/logger.ts";
import type { EngineService, TickInput } from "../ports/service.ts";
import { refuseUnmatched, toJsonResponse } from "./answer.ts";
import { answerError } from "./answer-error.ts";
import { invalidRequest } from "./issues.ts";
import {
  DEFAULT_MOUNT_ROUTE,
  MAX_TICK_BODY_BYTES,
  parseMountRoute,
  TICK_PATH,
  toSafeLogger,
} from "./mount.ts";
import { parseJsonBody, readBody } from "./request-body.ts";
import { createTickGuard, type TickGuard, type TickOptions } from "./tick-guard.ts";

export interface TickHandlerOptions {
  /** Path under which the route is. @default "/api/workflows" */
  readonly mountRoute?: string;
  /** @default closed */
  readonly tick?: TickOptions;
  /** @default console.error, errors only */
  readonly logger?: Logger;
  /** Process clock in epoch milliseconds, for the signatures' window. @default Date.now */
  readonly now?: () => EpochMs;
}

type Ticker = Pick<EngineService, "tick">;

/** @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when an option cannot work */
export function createTickHandler(
  service: Ticker,
  options: TickHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const path = `${parseMountRoute(options.mountRoute ?? DEFAULT_MOUNT_ROUTE)}${TICK_PATH}`;
  const guard = createTickGuard(options.tick ?? {}, path, options.now ?? Date.now);
  const logger = toSafeLogger(options.logger);
  const app = new Hono();
  app.on(["GET", "POST"], path, async ({ req }) => {
    const input = await readTick(req.raw, guard);
    const deadline = options.tick?.deadline?.(req.raw) ?? null;
    return toJsonResponse(await service.tick({ ...input, deadline }));
  });
  app.all(path, () => refuseUnmatched(["POST", "GET"]));
  app.notFound(() => refuseUnmatched([]));
  app.onError((caught) => answerError(logger, caught, "tick"));
  return async (request) => app.fetch(request);
}

async function readTick(request: Request, guard: TickGuard): Promise<TickInput> {
  const body = readBody(request, MAX_TICK_BODY_BYTES);
  // The guard may refuse before anybody awaits the body.
  body.catch(() => undefined);
  await guard(request, () => body);
  if (request.method === "GET") return parseLimits(new URL(request.url).searchParams, "query");
  const fields = parseJsonBody(request.headers.get("content-type"), await body);
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
  const unknownField = [...fields.keys()].find((field) => !LIMITS.some((limit) => limit === field));
  if (place === "body" && unknownField !== undefined) {
    const path = `body.${unknownField.slice(0, 80)}`;
    throw invalidRequest([{ path, expected: "no such field", received: "one" }]);
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
