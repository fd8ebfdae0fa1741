/** An engine whose API is called with and without credentials. */
import { z } from "zod";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import LibsqlConnection from "libsql";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { WorkflowError } from "../core/errors.ts";
import { createEngine } from "../verbs/engine.ts";
import { createSqlStore, migrate } from "../stores/sql/index.ts";
import type { FetchHandlerOptions } from "./options.ts";
import { toAnswer, type Answer } from "./testing-client.ts";

/** Text that only readers may see. */
export const OUTPUT = "what only readers may see";
/** The instances of the workflow. */
export const PATH = "/workflows/order/instances";

/** The workflow. */
export const order = defineWorkflow(
  { name: "order", schema: z.object({ sum: z.number() }).optional() },
  (event, step) => {
    if (event.instanceId === "failed") throw new WorkflowError("NON_RETRYABLE", OUTPUT);
    return step.do("charge", () => OUTPUT);
  },
);

/** A line of the log. */
export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The engine under test, and its log. */
export interface Subject {
  readonly log: readonly LogLine[];
  readonly engine: ReturnType<typeof open>;
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
}

/** What a request has besides its path. */
export interface SendOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An engine on a store; it keeps its log. */
export const open = (
  store: ReturnType<typeof createSqlStore>,
  http: FetchHandlerOptions,
  log: LogLine[],
) =>
  createEngine({
    workflows: { ORDER: order },
    store,
    http,
    logger: { log: (level, event, fields) => void log.push({ level, event, fields }) },
  });

/** With instances `done` and `failed`. */
export async function start(http: FetchHandlerOptions = {}): Promise<Subject> {
  const connection = new LibsqlConnection(":memory:");
  applyRecommendedPragmas(connection);
  const database = createSqliteDatabase(connection);
  await migrate(database);
  const log: LogLine[] = [];
  const engine = open(createSqlStore({ database }), http, log);
  for (const id of ["done", "failed"]) await engine.createInstance("order", { id });
  await engine.tick();
  log.length = 0;
  const send: Subject["send"] = async (method, path, { body, headers = {} } = {}) => {
    const url = `https://shop.test/api/workflows${path}`;
    const content = { "content-type": "application/json", ...headers };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    return toAnswer(await engine.fetch(new Request(url, { method, headers: content, ...text })));
  };
  return { log, engine, send };
}
