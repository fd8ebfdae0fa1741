/** Drives an engine as long as the process lives: beside a server, or alone as a background worker. */
import { hostname } from "node:os";
import { WorkflowError } from "@escapement/engine";
import {
  assertPlatformOptions,
  type AttachedEngine,
  createLoopPlatform,
  type HttpServer,
  type LoopPlatform,
  type LoopPlatformOptions,
  type RunningPlatform,
} from "@escapement/engine/adapter";
import { serve, type ServeOptions } from "./handler.ts";

/** Options of polling, stopping and signals. */
export type NodePlatformOptions = LoopPlatformOptions;

/** Where `platform.serve` listens. */
type ListenOptions = Omit<ServeOptions, "engine">;

/** A platform that was started together with its server. */
type ServingPlatform = RunningPlatform & Pick<HttpServer, "url" | "port">;

/** The platform of a process on Node: it claims and runs, and can serve the engine's HTTP API. */
export interface NodePlatform extends LoopPlatform {
  /**
   * Serves the engine's HTTP API and starts claiming and running: `serve` and `start` in one call. `stop` ends both.
   *
   * @throws {WorkflowError} WAKE_FAILED before an engine with a loop is made with it; DEPLOY_OPTIONS_INVALID, UNKNOWN_OPTION;
   *   LISTEN_FAILED — the port is in use, the address cannot be used, or it serves already; STORE_UNAVAILABLE after its `stop`
   */
  serve(options?: ListenOptions): Promise<ServingPlatform>;
}

const LISTEN_OPTIONS: Readonly<Record<keyof ListenOptions, 1>> = {
  port: 1,
  hostname: 1,
  readyPath: 1,
};

/**
 * Creates the platform of a process on Node, for `createEngine({ platform })`.
 *
 * ```ts
 * import { sqlite } from "@escapement/node/sqlite";
 * const echo = defineWorkflow({ name: "echo" }, async (event) => event.payload);
 * const platform = createNodePlatform({ handleSignals: true });
 * const engine = createEngine({ workflows: { echo }, store: sqlite("data.db"), platform });
 * const worker = await engine.platform.serve({ port: 3000 });
 * await worker.stopped; // after SIGTERM or SIGINT
 * ```
 *
 * Nothing runs until you call its `serve`, or its `start` in a process without a server of its own.
 *
 * @throws {WorkflowError} UNKNOWN_OPTION
 */
export function createNodePlatform(options: NodePlatformOptions = {}): NodePlatform {
  const platform = createLoopPlatform(options, process);
  let serving: ServingPlatform | null = null;
  const assertIdle = (): void => {
    if (serving !== null) throw servesAlready(serving);
  };
  const begin = (server: HttpServer): ServingPlatform => {
    // Another call may have listened in the meantime.
    assertIdle();
    const { stop, stopped } = platform.start({ server });
    const begun = { url: server.url, port: server.port, stop, stopped };
    const end = (): void => void (serving = null);
    stopped.then(end, end);
    return (serving = begun);
  };
  return {
    ...platform,
    runner: () => `${hostname()}:${process.pid}`,
    serve: async (given = {}) => {
      assertPlatformOptions(given, LISTEN_OPTIONS, "platform.serve");
      const engine: AttachedEngine & Partial<ServeOptions["engine"]> = platform.engine();
      assertIdle();
      // What cannot be served is refused by `serve`.
      const server = await serve({ ...given, engine: engine as ServeOptions["engine"] });
      try {
        return begin(server);
      } catch (error) {
        await server.close();
        throw error;
      }
    },
  };
}

function servesAlready({ url, port }: ServingPlatform): WorkflowError {
  const message = `the platform serves already, at ${url}; for another address use serve({ engine, port })`;
  return new WorkflowError("LISTEN_FAILED", message, { url, port });
}
