/** The engine's HTTP API on Bun.serve. */
import type { Engine } from "@escapement/engine";
import type { BunRuntime } from "./types.ts";

declare const Bun: BunRuntime;

/** All that the HTTP side needs of an engine. */
export type FetchEngine = Pick<Engine, "fetch">;

export interface ServeOptions {
  readonly engine: FetchEngine;
  /** 0: any free port. @default 3000 @minimum 0 @maximum 65535 */
  readonly port?: number;
  /** Address to listen on. @default "127.0.0.1", so that nothing is open to the network unasked */
  readonly hostname?: string;
}

/** A listening server. */
export interface BunServer {
  /** For instance `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly port: number;
  /**
   * Accepts no more connections and waits for the answers under way, at most `graceMs`; then cuts them. Calling it
   * again waits for the same end.
   */
  close(options?: { /** @default 5000 */ readonly graceMs?: number }): Promise<void>;
}

/**
 * Bun cuts a connection that is silent for 10 seconds, which a tick over HTTP may well be; this is the most it allows.
 *
 * @source bun.com/reference/bun/Serve/HostnamePortServeOptions/idleTimeout, read 2026-11-21
 */
const IDLE_TIMEOUT_SECONDS = 255;

/** For a server of your own: `Bun.serve({ fetch: handler(engine) })`. */
export function handler(engine: FetchEngine): (request: Request) => Promise<Response> {
  return (request) => engine.fetch(request);
}

/**
 * Starts a server with the engine's HTTP API and nothing else.
 *
 * @throws Bun's own error, for instance with code EADDRINUSE
 */
export function serve(options: ServeOptions): BunServer {
  const { engine, port = 3000, hostname = "127.0.0.1" } = options;
  const server = Bun.serve({
    port,
    hostname,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    development: false,
    fetch: handler(engine),
  });
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const { port: boundPort } = server;
  let closed: Promise<void> | null = null;
  const close = async (graceMs: number): Promise<void> => {
    const timer = setTimeout(() => void server.stop(true), graceMs);
    await server.stop(false);
    clearTimeout(timer);
  };
  return {
    url: `http://${host}:${boundPort}`,
    port: boundPort,
    close: ({ graceMs = 5000 } = {}) => (closed ??= close(graceMs)),
  };
}
