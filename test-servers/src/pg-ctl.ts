/** Restarts PostgreSQL by its own tool. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { PostgresInstallation } from "./postgres-binaries.ts";
import { type RunningServer, spawnServer } from "./spawn-server.ts";

const run = promisify(execFile);

export interface PgCtlTarget extends PostgresInstallation {
  /** Data directory, in which the running server has left its options. */
  readonly data: string;
  /** File for what the new server prints. */
  readonly log: string;
}

/** `pg_ctl restart`, as the server's user: it refuses to run as root. The new server dies with this process. */
export async function restartByPgCtl(
  { bin, user, data, log }: PgCtlTarget,
  mode: "fast" | "immediate",
): Promise<RunningServer> {
  const args = ["restart", "-w", "-D", data, "-m", mode, "-l", log];
  await run(join(bin, "pg_ctl"), args, { cwd: "/", ...user });
  const pid = Number((await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")[0]);
  const watch = await spawnWatch(pid);
  return {
    pid,
    exited: watch.exited,
    async stop(signal = "SIGKILL") {
      try {
        process.kill(pid, signal);
      } catch {
        // It went by itself.
      }
      await watch.exited;
    },
  };
}

// The new server is a child of nobody. This shell ends when it does, and takes it along when it is told to end; by SIGTERM,
// because a shell in the background ignores SIGINT and SIGQUIT.
const WATCH = `trap 'kill -s QUIT "$1"' TERM; while kill -0 "$1" 2>/dev/null; do sleep 0.05; done`;

const spawnWatch = (pid: number): Promise<RunningServer> =>
  spawnServer({
    command: "sh",
    args: ["-c", WATCH, "watch", String(pid)],
    orphanSignal: "TERM",
    ready: () => Promise.resolve(true),
  });
