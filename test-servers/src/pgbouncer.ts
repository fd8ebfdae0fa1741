/** PgBouncer in transaction pooling mode, where it is installed. */
import { execFileSync } from "node:child_process";
import { chownSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { findFreePort } from "./free-port.ts";
import { findPostgres } from "./postgres-binaries.ts";
import { spawnServer } from "./spawn-server.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

export interface PgBouncer {
  readonly url: string;
  stop(): Promise<void>;
}

export interface PgBouncerOptions {
  /** Connections to the server that all clients share. @default 4 */
  readonly poolSize?: number;
}

// Debian puts it into /usr/sbin, which is not on everyone's PATH.
const searchPath = (): string => `${process.env["PATH"] ?? ""}:/usr/sbin:/usr/local/sbin`;

/** Whether `pgbouncer` can be run. */
export function pgBouncerAvailable(): boolean {
  try {
    execFileSync("pgbouncer", ["--version"], {
      stdio: "ignore",
      env: { ...process.env, PATH: searchPath() },
    });
    return true;
  } catch {
    return false;
  }
}

/** Starts PgBouncer in front of the database of `url`, transaction pooling. It dies with this process. */
export async function startPgBouncer(
  url: string,
  options: PgBouncerOptions = {},
): Promise<PgBouncer> {
  const { user } = await findPostgres();
  const directory = temporaryDirectory(user);
  const target = new URL(url);
  const port = await findFreePort();
  const config = join(directory.path, "pgbouncer.ini");
  writeFileSync(config, configuration(target, port, options.poolSize ?? 4));
  if (user !== null) chownSync(config, user.uid, user.gid);
  const server = await spawnServer({
    command: "pgbouncer",
    args: [config],
    user,
    cwd: directory.path,
    env: { PATH: searchPath() },
    ready: () => acceptsConnections(port),
  });
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  return {
    url: through.href,
    async stop() {
      await server.stop();
      directory.remove();
    },
  };
}

function configuration(target: URL, port: number, poolSize: number): string {
  const password = target.password === "" ? "" : ` password=${decodeURIComponent(target.password)}`;
  return `[databases]
* = host=${target.hostname} port=${target.port || "5432"} user=${decodeURIComponent(target.username)}${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
ignore_startup_parameters = extra_float_digits
unix_socket_dir =
`;
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const finish = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", finish(true)).once("error", finish(false));
  });
}
