/** The engine's HTTP API on Bun.serve. */
import {
  type FetchEngine,
  type HttpServer,
  type ListenOptions,
  toHttpServer,
  toListenAddress,
} from "@escapement/engine/adapter";
import type { BunRuntime } from "./types.ts";

declare const Bun: BunRuntime;

/** The engine, and where to listen. */
export interface ServeOptions extends ListenOptions {
  readonly engine: FetchEngine;
}

/**
 * Bun cuts a connection that is silent for 10 seconds, which a tick over HTTP may well be; this is the most it allows.
 *
 * @source bun.com/reference/bun/Serve/HostnamePortServeOptions/idleTimeout, read 2026-11-21
 */
const IDLE_TIMEOUT_SECONDS = 255;

/** Creates a fetch handler for your own server: `Bun.serve({ fetch: handler(engine) })`. */
export function handler(engine: FetchEngine): (request: Request) => Promise<Response> {
  return (request) => engine.fetch(request);
}

/** Starts a server with only the engine's HTTP API. @throws Bun's own error, for example with code EADDRINUSE */
export function serve(options: ServeOptions): HttpServer {
  const { engine } = options;
  const { port, hostname } = toListenAddress(options);
  const server = Bun.serve({
    port,
    hostname,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    development: false,
    fetch: handler(engine),
  });
  return toHttpServer({
    hostname,
    port: server.port,
    stop: () => server.stop(false),
    cut: () => void server.stop(true),
  });
}
