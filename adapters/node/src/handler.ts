/** The engine's HTTP API on node:http. */
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import {
  assertOption,
  type FetchEngine,
  type HttpServer,
  type ListenOptions,
  loadAll,
  toHttpServer,
  toListenAddress,
  toListenError,
} from "@escapement/engine/adapter";
import { createReadiness, type ReadyEngine } from "./readiness.ts";
import { toWholeRequest } from "./whole-request.ts";

/** The engine, where to listen, and the path of readiness. */
export interface ServeOptions extends ListenOptions {
  readonly engine: FetchEngine & ReadyEngine;
  /**
   * A path for the probes of load balancers and orchestrators. GET answers 200 while the database answers, and 503 otherwise
   * and while the server closes. It reveals nothing else, and takes at most one trip a second. @default none
   */
  readonly readyPath?: string;
}

const SERVE_OPTIONS: Readonly<Record<keyof ServeOptions, 1>> = {
  engine: 1,
  port: 1,
  hostname: 1,
  readyPath: 1,
};

/** A stream writes every 20 seconds at the latest. Node itself waits for a reader without end, and keeps what it has not taken. */
const UNREAD_MS = 60_000;

/**
 * Creates a request listener for your own server: `http.createServer(handler(engine))`, `app.use("/api/workflows",
 * handler(engine))`. `http.mountRoute` of the engine is the complete path, however a framework writes it. If a parser has
 * read the body, it is taken from `request.body`. If nothing has kept it, the answer is 500, INVARIANT_BROKEN.
 */
export function handler(engine: FetchEngine): RequestListener {
  void loadForLife();
  return createListener(engine, UNREAD_MS);
}

/** For a process that stays. What is missing is told by the loop, or by the first call that needs it. */
const loadForLife = (): Promise<void> => loadAll().catch(() => undefined);

/** @param unreadMs an answer is cut off when its reader has taken nothing of it for so long */
export function createListener(engine: FetchEngine, unreadMs: number): RequestListener {
  const answer = async (request: Request, bindings: HttpBindings): Promise<Response> => {
    const { incoming, outgoing } = bindings;
    const response = await engine.fetch(await toWholeRequest(request, incoming));
    outgoing.setTimeout(unreadMs, () => outgoing.destroy());
    return response;
  };
  const listener = getRequestListener(answer as Parameters<typeof getRequestListener>[0], {
    overrideGlobalObjects: false,
  });
  return (request, response) => void listener(request, response);
}

/**
 * Starts a server with only the engine's HTTP API: `const server = await serve({ engine, port: 3000 })`. It runs no workflows: for
 * that, call `platform.start({ server })`, or `platform.serve({ port })`, which does both. `server.close()` ends it.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — no engine, no port, or a `readyPath` that does not begin with a slash;
 *   UNKNOWN_OPTION; LISTEN_FAILED — the port is in use, or the address cannot be used
 */
export async function serve(options: ServeOptions): Promise<HttpServer> {
  const { engine, readyPath } = options;
  assertOption("engine", typeof engine?.fetch === "function", "what createEngine gives");
  const address = toListenAddress(options, SERVE_OPTIONS);
  const isPath =
    readyPath === undefined || (typeof readyPath === "string" && readyPath.startsWith("/"));
  assertOption("readyPath", isPath, 'a path such as "/ready"');
  await loadForLife();
  const isReady = createReadiness(engine);
  const toEngine = createListener(engine, UNREAD_MS);
  const answerProbe = async (response: ServerResponse): Promise<void> => {
    const status = server.listening && (await isReady()) ? 200 : 503;
    response.writeHead(status, { "cache-control": "no-store" }).end();
  };
  const server = createServer((request, response) => {
    // A server that closes waits for connections, which a client may keep open after its answer.
    response.once("finish", () => {
      if (!server.listening) server.closeIdleConnections();
    });
    const isProbe = request.method === "GET" && request.url?.split("?")[0] === readyPath;
    if (isProbe) void answerProbe(response);
    else toEngine(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(toListenError(error, address)));
    server.listen(address.port, address.hostname, resolve);
  });
  return toHttpServer({
    hostname: address.hostname,
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      }),
    cut: () => server.closeAllConnections(),
  });
}
