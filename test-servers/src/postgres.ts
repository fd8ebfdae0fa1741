/** A PostgreSQL server of our own. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "./free-port.ts";
import { restartByPgCtl } from "./pg-ctl.ts";
import { createDataDirectory, findPostgres, type PostgresVersion } from "./postgres-binaries.ts";
import { type RunningServer, spawnServer } from "./spawn-server.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

export interface StartPostgresOptions {
  /** Major version. @default 18 */
  readonly version?: PostgresVersion;
  /** Folder that the data goes under. @default the folder for temporary files of the system */
  readonly parent?: string;
  /** false: fsync, full-page writes and synchronous commit are off; a crash of the machine loses data. @default true */
  readonly durable?: boolean;
  /** @default 200 */
  readonly maxConnections?: number;
  /** More settings, as in postgresql.conf. @default {} */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface PostgresServer {
  /** Of the database `postgres`, user `postgres`, no password. The port stays over restarts. */
  readonly url: string;
  /** Of the running postmaster; changes on restart. */
  readonly pid: number;
  /** Ends the server (SIGINT: fast, SIGQUIT or SIGKILL: crash) and starts it again on the same data and port. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  /** `pg_ctl restart -m <mode>`: fast rolls back what is open and checkpoints, immediate crashes and recovers. */
  pgCtlRestart(mode: "fast" | "immediate"): Promise<void>;
  /** Ends the server and leaves the data for `restart`. */
  halt(signal?: NodeJS.Signals): Promise<void>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

const NOT_DURABLE = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" };

/** Starts a private server on a free port of 127.0.0.1 in a temporary directory. It dies with this process. */
export async function startPostgres(options: StartPostgresOptions = {}): Promise<PostgresServer> {
  const installation = await findPostgres(options.version);
  const { bin, user } = installation;
  const directory = temporaryDirectory(user, options.parent);
  const data = join(directory.path, "data");
  mkdirSync(data);
  await createDataDirectory(data, installation);
  const port = await findFreePort();
  const args = ["-D", data, "-p", String(port), ...settingFlags(options)];
  const launch = (): Promise<RunningServer> =>
    spawnServer({
      command: join(bin, "postgres"),
      args,
      user,
      cwd: directory.path,
      env: { LC_MESSAGES: "C" },
      orphanSignal: "QUIT",
      ready: (output) => Promise.resolve(output().includes("ready to accept connections")),
    });
  let server = await launch();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    get pid() {
      return server.pid;
    },
    async restart(signal = "SIGINT") {
      await server.stop(signal);
      server = await relaunch(launch);
    },
    async pgCtlRestart(mode) {
      server = await restartByPgCtl(
        { bin, user, data, log: join(directory.path, "pg_ctl.log") },
        mode,
      );
    },
    halt: (signal = "SIGINT") => server.stop(signal),
    async stop() {
      await server.stop("SIGQUIT");
      directory.remove();
    },
  };
}

/** How often a start is tried while the processes of a server that was killed still hold its memory. */
const MAX_TRIES = 100;
const PAUSE_MS = 100;

async function relaunch(launch: () => Promise<RunningServer>): Promise<RunningServer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await launch();
    } catch (error) {
      if (tries === MAX_TRIES || !String(error).includes("still in use")) throw error;
      await new Promise((resolve) => void setTimeout(resolve, PAUSE_MS));
    }
  }
}

function settingFlags(options: StartPostgresOptions): string[] {
  const settings: Record<string, string> = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: String(options.maxConnections ?? 200),
    ...(options.durable === false ? NOT_DURABLE : {}),
    ...options.settings,
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
