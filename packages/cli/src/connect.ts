/** The engine of a command: that of a server, by its URL, or one that the user's module creates. */
import type { Engine } from "@escapement/engine";
import { type Send, toAnswer } from "./client.ts";
import { NoAnswerError, RefusedError, tellFailures, UsageError } from "./errors.ts";
import { suggestWorkflow } from "./suggest.ts";
import { importUserModule } from "./user-module.ts";
import type { ConnectionOptions } from "./ways.ts";

/** A connection to an engine. */
export interface Connection {
  readonly send: Send;
  /** The engine itself; absent: it is only reachable over HTTP. */
  readonly engine?: Engine;
  close(): Promise<void>;
}

const MOUNT_ROUTE = "/api/workflows";

/** @throws {UsageError} no engine is named, or not in a usable way @throws {RefusedError} the module exports none */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { url, engine, db } = options;
  if ([url, engine, db].filter((way) => way !== undefined).length > 1)
    throw new UsageError("give one of --url, --db and --engine, not several");
  if (engine !== undefined) return connectEngine(await loadEngine(engine));
  if (db !== undefined) return connectDatabase(db, options);
  if (url === undefined)
    throw new UsageError(
      "which engine? Give --url https://host/api/workflows (or ESCAPEMENT_URL), --db <database> (or ESCAPEMENT_DB), or --engine <module>",
    );
  return connectServer(url, options);
}

/** The messages contain neither the URL, which may hold a password, nor the token. */
function connectServer(url: string, { token, timeout }: ConnectionOptions): Connection {
  const base = URL.canParse(url) ? new URL(url) : null;
  if (base === null || !/^https?:$/.test(base.protocol))
    throw new UsageError("--url must be a URL as https://host/api/workflows");
  if (base.username !== "" || base.password !== "" || base.search !== "" || base.hash !== "")
    throw new UsageError(
      "--url takes no user, password, query or fragment: a secret goes to ESCAPEMENT_TOKEN",
    );
  if (token !== undefined && !/^[\u0021-\u007e]+$/.test(token))
    throw new UsageError("the token must be printable ASCII characters without spaces");
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const root = base.href.replace(/\/+$/, "");
  const send: Send = async (path, init) => {
    const headers = { ...(init.headers as Record<string, string>), ...authorization };
    const signal = AbortSignal.timeout(timeout * 1000);
    try {
      const request = { ...init, headers, signal, redirect: "manual" } as const;
      return await toAnswer(await fetch(`${root}${path}`, request));
    } catch (error) {
      throw toNoAnswer(base.host, error);
    }
  };
  return { send, close: () => Promise.resolve() };
}

/** Errors of a connection that did not come about. */
const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

function toNoAnswer(host: string, error: unknown): NoAnswerError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
  const { code } = cause as { readonly code?: unknown };
  const mayHaveArrived = !NEVER_SENT.has(String(code));
  return new NoAnswerError(`${host} gave no answer: ${reason}.`, mayHaveArrived);
}

/** Loads code that a server does not need. */
async function connectDatabase(db: string, options: ConnectionOptions): Promise<Connection> {
  const { openEngine } = await import("./database/open-engine.ts");
  const connection = await connectEngine(await openEngine(db, options));
  return { ...connection, send: tellUnknown(connection.send) };
}

/** Only the code knows whether a workflow without data exists, and whether bulk jobs are run. */
function tellUnknown(send: Send): Send {
  return async (path, init) => {
    const answer = await send(path, init);
    if (answer.status < 400) return answer;
    const isTold = /"code":"(WORKFLOW_NOT_FOUND|TOPIC_NOT_FOUND|BULK_DISABLED)"/.test(answer.text);
    if (!isTold) return answer;
    const { error } = JSON.parse(answer.text) as { readonly error: UnknownName };
    if (error.code === "BULK_DISABLED") throw unknownBulk();
    const what = error.code === "TOPIC_NOT_FOUND" ? "topic" : "workflow";
    const suggestion = suggestWorkflow(error.details ?? {}).replace(/[^?]$/, "$&.");
    throw new RefusedError(
      error.code,
      `the database holds nothing of that ${what}${suggestion || "."} Without your code, the command knows only what is stored there: give --url or --engine`,
    );
  };
}

const unknownBulk = (): RefusedError =>
  new RefusedError(
    "BULK_DISABLED",
    "the database has had no bulk job, so the command cannot know whether a process would run one. Begin the first with --url or --engine, whose engine has bulk: true",
  );

interface UnknownName {
  readonly code: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Calls an engine in this process through the same API, so that the answers are the same. */
async function connectEngine(engine: Engine): Promise<Connection> {
  const { createFetchHandler } = await import("@escapement/engine/http");
  const logger = { log: tellFailures };
  const answer = createFetchHandler(engine, { open: true, mountRoute: MOUNT_ROUTE, logger });
  return {
    send: async (target, init) =>
      toAnswer(await answer(new Request(`http://localhost${MOUNT_ROUTE}${target}`, init))),
    engine,
    close: () => engine.close(),
  };
}

async function loadEngine(path: string): Promise<Engine> {
  const loaded = await importUserModule(path, "ENGINE_NOT_LOADED");
  const found = [loaded["engine"], loaded["default"], ...Object.values(loaded)].find(isEngine);
  if (found === undefined)
    throw new RefusedError(
      "ENGINE_NOT_LOADED",
      `${path} exports no engine, as createEngine makes it`,
    );
  return found;
}

const isEngine = (value: unknown): value is Engine =>
  typeof value === "object" && value !== null && "findInstances" in value && "close" in value;
