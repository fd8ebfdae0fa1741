/** TEST ONLY: a fetch handler over a real engine, and short ways to call it. */
import type { Logger, LogLevel } from "../ports/logger.ts";
import { createFetchHandler } from "./fetch-handler.ts";
import type { FetchHandlerOptions } from "./options.ts";
import { createTestingService, TESTING_WORKFLOW, type TestingService } from "./testing-service.ts";

/** The bearer secret that the testing client's tick route takes. */
export const TESTING_SECRET = "testing-secret-of-32-characters!";

export interface LogLine {
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  /** The error's code, or null on success. */
  readonly code: string | null;
}

export interface TestingClient {
  readonly service: TestingService;
  readonly log: readonly LogLine[];
  /** Calls `path` below `/api/workflows`; a body that is not text is sent as JSON. */
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: HeadersInit,
  ) => Promise<Answer>;
  /** The same, with your own Request. */
  readonly fetch: (request: Request) => Promise<Answer>;
}

/** Path of the testing workflow's instances. */
export const INSTANCES: string = `/workflows/${TESTING_WORKFLOW}/instances`;

export function createTestingClient(options: FetchHandlerOptions = {}): TestingClient {
  const service = createTestingService();
  const log: LogLine[] = [];
  const logger: Logger = { log: (level, event, fields) => log.push({ level, event, fields }) };
  const tick = { bearerSecret: TESTING_SECRET };
  const handler = createFetchHandler(service, { open: true, tick, logger, ...options });
  // These tests are not about the log lines for open routes.
  log.length = 0;
  const call = async (request: Request): Promise<Answer> => toAnswer(await handler(request));
  return {
    service,
    log,
    fetch: call,
    send: (method, path, body, headers = {}) => {
      const all = new Headers(headers);
      const init: RequestInit = { method, headers: all };
      if (body !== undefined) {
        if (!all.has("content-type")) all.set("content-type", "application/json");
        init.body = typeof body === "string" ? body : JSON.stringify(body);
      }
      return call(new Request(`http://host.test/api/workflows${path}`, init));
    },
  };
}

/** Reads a Response whole. */
export async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json" && text !== "";
  const body: unknown = isJson ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body, code: readCode(body) };
}

function readCode(body: unknown): string | null {
  const isCoded = typeof body === "object" && body !== null && "code" in body;
  return isCoded && typeof body.code === "string" ? body.code : null;
}
