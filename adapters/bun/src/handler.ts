/** The engine's HTTP API on Bun.serve. */
import {
  type FetchEngine,
  type HttpServer,
  type ListenAddress,
  type ListenOptions,
  toHttpServer,
  toListenAddress,
  toListenError,
} from "@escapement/engine/adapter";
import type { BunHttpServer, BunRuntime, BunServeOptions } from "./types.ts";

declare const Bun: BunRuntime;

/** The engine, and where to listen. */
export interface ServeOptions extends ListenOptions {
  readonly engine: FetchEngine;
}

/**
 * Bun cuts a connection that is silent for 10 seconds, and a tick over HTTP may be. This is the highest value that Bun allows.
 *
 * @source bun.com/reference/bun/Serve/HostnamePortServeOptions/idleTimeout, read 2026-11-21
 */
const IDLE_TIMEOUT_SECONDS = 255;

/** Creates a fetch handler for your own server: `Bun.serve({ fetch: handler(engine) })`. */
export function handler(engine: FetchEngine): (request: Request) => Promise<Response> {
  return (request) => engine.fetch(request);
}

/**
 * Starts a server with only the engine's HTTP API.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — no port; UNKNOWN_OPTION; LISTEN_FAILED — the port is in use, or the address cannot be used
 */
export function serve(options: ServeOptions): HttpServer {
  const address = toListenAddress(options, { engine: 1, port: 1, hostname: 1 });
  const server = listen(address, handler(options.engine));
  return toHttpServer({
    hostname: address.hostname,
    port: server.port,
    stop: () => server.stop(false),
    cut: () => void server.stop(true),
  });
}

function listen(address: ListenAddress, fetch: BunServeOptions["fetch"]): BunHttpServer {
  const idleTimeout = IDLE_TIMEOUT_SECONDS;
  try {
    return Bun.serve({ ...address, idleTimeout, development: false, fetch });
  } catch (error) {
    throw toListenError(error, address);
  }
}
