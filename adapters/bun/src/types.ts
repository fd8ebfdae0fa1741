/**
 * Types only: the few parts of Bun 1.4 that the adapter uses. @source bun.com/docs/runtime/http/server and runtime/cron, read 2026-11-21
 */

export interface BunRuntime {
  serve(options: BunServeOptions): BunHttpServer;
  /** Calls back by a cron expression, never two calls at once. If a handler rejects, the process ends. */
  cron(
    expression: string,
    handler: () => Promise<void>,
    options: { readonly tz: string },
  ): BunCronJob;
}

export interface BunServeOptions {
  readonly port: number;
  readonly hostname: string;
  /** The seconds without a byte after which a connection is cut, even while an answer is being prepared. */
  readonly idleTimeout: number;
  readonly development: false;
  readonly fetch: (request: Request) => Promise<Response>;
}

export interface BunHttpServer {
  readonly port: number;
  /** Accepts no more connections; resolves when the answers under way are sent, or at once with `closesActive`. */
  stop(closesActive: boolean): Promise<void>;
}

interface BunCronJob {
  stop(): unknown;
}
