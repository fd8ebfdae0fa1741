/** Types only: the little that the adapter uses of Bun 1.4. @source bun.com/docs/runtime/http/server and runtime/cron, read 2026-11-21 */

export interface BunRuntime {
  serve(options: BunServeOptions): BunHttpServer;
  /** Calls back by a cron expression; never two calls at once. A handler that rejects ends the process. */
  cron(
    expression: string,
    handler: () => Promise<void>,
    options: { readonly tz: string },
  ): BunCronJob;
}

export interface BunServeOptions {
  readonly port: number;
  readonly hostname: string;
  /** Seconds without a byte after which a connection is cut, an answer that is not ready yet included. */
  readonly idleTimeout: number;
  readonly development: false;
  readonly fetch: (request: Request) => Promise<Response>;
}

export interface BunHttpServer {
  readonly port: number;
  /** Accepts no more; resolves when the answers under way are sent, or at once with `closesActive`. */
  stop(closesActive: boolean): Promise<void>;
}

interface BunCronJob {
  stop(): unknown;
}
