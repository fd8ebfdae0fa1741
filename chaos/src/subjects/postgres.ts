/** A Postgres of our own behind a proxy, on a small disk where one can be mounted. */
import { execFileSync } from "node:child_process";
import {
  mountSmallDisk,
  startPostgres,
  startPostgresProxy,
  type PostgresServer,
} from "@escapement-internal/test-servers";
import pg from "pg";
import type { Subject } from "./subject.ts";

/** Much for a short run, and filled in no time. */
const DISK_MIB = 400;

export async function openPostgresSubject(): Promise<Subject> {
  const disk = mountSmallDisk(DISK_MIB);
  const server = await startPostgres({
    settings: { max_wal_size: "64MB", min_wal_size: "32MB" },
    ...(disk === null ? {} : { parent: disk.path }),
  });
  const proxy = await startPostgresProxy(server.url);
  const execute = (sql: string): Promise<void> => executeOn(server.url, sql);
  return {
    name: "postgres",
    url: proxy.url,
    directUrl: server.url,
    faults: {
      cut: () => proxy.killConnections(),
      silence: (moment) => proxy.silence(moment),
      mute: (isMute) => proxy.setSilent(isMute),
      deliver: (deliver) => proxy.setDelivery(deliver),
      terminate: (share) =>
        execute(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
           and pid <> pg_backend_pid() and random() < ${share}`,
        ),
      restart: () => server.restart("SIGQUIT"),
      halt: () => server.halt("SIGQUIT"),
      stall: (isStalled) => signalAll(server.pid, isStalled ? "STOP" : "CONT"),
      readOnly: (isReadOnly) =>
        execute(`alter system set default_transaction_read_only = ${isReadOnly ? "on" : "off"};
          select pg_reload_conf()`),
      ...(disk === null
        ? {}
        : {
            fillDisk: () => disk.fill(),
            freeDisk: async () => {
              disk.free();
              await restartIfDown(server);
            },
          }),
    },
    async remove() {
      await proxy.stop();
      await server.stop();
      disk?.remove();
    },
  };
}

async function executeOn(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    // ALTER SYSTEM does not run in a transaction, and several statements in one query are one.
    for (const statement of sql.split(";")) await client.query(statement);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The postmaster and its children. */
function signalAll(postmaster: number, signal: "STOP" | "CONT"): void {
  const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(postmaster)], {
    encoding: "utf8",
  });
  for (const pid of [postmaster, ...children.split("\n").map(Number)]) {
    if (pid > 1) process.kill(pid, `SIG${signal}`);
  }
}

async function restartIfDown(server: PostgresServer): Promise<void> {
  // A server that ran out of room in its log crashes and recovers; it ends for good when recovery finds no room either.
  for (let attempt = 0; attempt < 50; attempt += 1) {
    try {
      process.kill(server.pid, 0);
      await executeOn(server.url, "select 1");
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  await server.restart("SIGQUIT");
}
