/**
 * Lambda's Runtime API, as the runtime interface client calls it: the next event, its answer, its error.
 *
 * @source docs.aws.amazon.com/lambda/latest/dg/runtimes-api, read 2026-11-21
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const BASE = "/2018-06-01/runtime/";

/** What a function that failed has said. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
}

export type Outcome = { readonly answer: unknown } | { readonly error: FunctionError };

export interface RuntimeApi {
  /** For `AWS_LAMBDA_RUNTIME_API`. */
  readonly host: string;
  /** Resolves when the client asks for an event while there is none: Lambda freezes it then. */
  readonly idle: () => Promise<void>;
  /** Gives the idle client an event that it has until `deadline` for, and waits for what it makes of it. */
  readonly send: (event: unknown, deadline: number) => Promise<Outcome>;
  /** What the function failed with before it asked for anything; null: it has not. */
  readonly initError: () => FunctionError | null;
  readonly stop: () => Promise<void>;
}

interface State {
  /** The client's open request for the next event. */
  next: ServerResponse | null;
  onIdle: () => void;
  onOutcome: (outcome: Outcome) => void;
  initError: FunctionError | null;
}

export async function startRuntimeApi(): Promise<RuntimeApi> {
  const nothing = (): void => undefined;
  const state: State = { next: null, onIdle: nothing, onOutcome: nothing, initError: null };
  // A client that is killed breaks off in the middle.
  const server = createServer((request, response) => {
    answer(state, request, response).catch(() => undefined);
  });
  // The client waits for its next event for as long as Lambda has none.
  Object.assign(server, { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    idle: () =>
      new Promise((resolve) => {
        if (state.next === null) state.onIdle = resolve;
        else resolve();
      }),
    send: (event, deadline) =>
      new Promise((resolve) => {
        state.onOutcome = resolve;
        state.next?.writeHead(200, toHeaders(deadline)).end(JSON.stringify(event));
        state.next = null;
      }),
    initError: () => state.initError,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url?.slice(BASE.length) ?? "";
  if (path === "invocation/next") {
    state.next = response;
    state.onIdle();
    return;
  }
  let text = "";
  for await (const chunk of request) text += String(chunk);
  response.writeHead(202).end();
  const said: unknown = JSON.parse(text);
  if (path === "init/error") state.initError = said as FunctionError;
  else if (path.endsWith("/error")) state.onOutcome({ error: said as FunctionError });
  else state.onOutcome({ answer: said });
}

const toHeaders = (deadline: number): Record<string, string> => ({
  "content-type": "application/json",
  "lambda-runtime-aws-request-id": randomUUID(),
  "lambda-runtime-deadline-ms": String(deadline),
  "lambda-runtime-invoked-function-arn":
    "arn:aws:lambda:eu-central-1:123456789012:function:orders-tick",
  "lambda-runtime-trace-id":
    "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0",
});
