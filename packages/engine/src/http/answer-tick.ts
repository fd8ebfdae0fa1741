/** Answers requests for the tick route. Loaded with the first one. */
import type { Logger } from "../ports/logger.ts";
import type { EngineService } from "../ports/service.ts";
import type { TickInput } from "../ports/tick.ts";
import { refuseUnmatched, toJsonResponse } from "./answer.ts";
import { answerError } from "./answer-error.ts";
import { createCrossSiteGuard } from "./cross-site.ts";
import { invalidRequest, unknownField } from "./issues.ts";
import { MAX_TICK_BODY_BYTES } from "./mount.ts";
import { type Bytes, parseJsonBody, readBody } from "./request-body.ts";
import type { TickGuard, TickOptions } from "./tick-guard.ts";

/** What ticks. */
export type Ticker = Pick<EngineService, "tick">;

/** Answers one request. It never rejects. */
export type AnswerTick = (request: Request) => Promise<Response>;

/** The checked options of the route. */
export interface TickAnswerParts {
  readonly service: Ticker;
  readonly guard: TickGuard;
  readonly logger: Logger;
  readonly isTick: (request: Request) => boolean;
  readonly deadline: TickOptions["deadline"];
  /** See `TickHandlerOptions`. */
  readonly respond: (
    request: Request,
    tick: (told?: TickInput) => Promise<Response>,
  ) => Response | Promise<Response>;
}

export function createTickAnswer({
  service,
  guard,
  logger,
  isTick,
  respond,
  deadline,
}: TickAnswerParts): AnswerTick {
  const guardCrossSite = createCrossSiteGuard();
  const answer = async (work: () => Promise<Response>): Promise<Response> => {
    try {
      return await work();
    } catch (caught) {
      return answerError(logger, caught, "tick");
    }
  };
  return async (request) => {
    if (!isTick(request)) return refuseUnmatched([]);
    const { method } = request;
    if (method !== "GET" && method !== "POST") return refuseUnmatched(["POST", "GET"]);
    return answer(async () => {
      guardCrossSite(request, "tick");
      const input = await readTick(request, guard);
      const killedAt = deadline?.(request) ?? null;
      return respond(request, (told) =>
        answer(async () =>
          toJsonResponse(await service.tick({ ...input, ...told, deadline: killedAt })),
        ),
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
