/** Starts a server process that cannot outlive the process that started it. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { killTree } from "./kill-tree.ts";

/** How to start a server and how to know that it is up. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Run as this user; null: as ourselves. @default null */
  readonly user?: { readonly uid: number; readonly gid: number } | null;
  /** Signal that ends the server when our process is gone. @default "KILL" */
  readonly orphanSignal?: "KILL" | "QUIT" | "TERM";
  /** Resolves once the server answers; given a function that returns all it has printed so far. */
  readonly ready: (output: () => string) => Promise<boolean>;
  /** Give up after this many milliseconds. @default 30000 */
  readonly readyTimeoutMs?: number;
}

/** A running server process. */
export interface RunningServer {
  readonly pid: number;
  /** Sends the signal and waits until the process has gone. Without one: SIGKILL, to all that it has started as well. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  readonly exited: Promise<void>;
}

// The server runs under a shell whose standard input is a pipe from us. When we go, however we go, the pipe closes,
// `cat` ends and the shell signals the server. No exit hook can do that after a SIGKILL.
const GUARD = `
exec 3<&0
signal=$1; shift
"$@" 3<&- </dev/null &
server=$!
echo "server-pid $server"
{ cat <&3 >/dev/null; kill -s "$signal" "$server"; } 2>/dev/null &
watcher=$!
wait "$server"
kill "$watcher"
`;

/** Starts a server and waits until it is ready; throws with its output when it never is. */
export async function spawnServer(server: ServerCommand): Promise<RunningServer> {
  const child = spawn(
    "sh",
    ["-c", GUARD, "guard", server.orphanSignal ?? "KILL", server.command, ...server.args],
    {
      env: { ...process.env, ...server.env },
      stdio: ["pipe", "pipe", "pipe"],
      ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
      ...(server.user === undefined || server.user === null ? {} : server.user),
    },
  );
  const output = collectOutput(child);
  const exited = once(child, "exit").then(() => undefined);
  child.stdin?.on("error", () => undefined);
  await waitUntilReady(server, child, output);
  const pid = Number(/server-pid (\d+)/.exec(output())?.[1]);
  unreference(child);
  return {
    pid,
    exited,
    async stop(signal) {
      if (child.exitCode === null && child.signalCode === null) end(pid, signal);
      // Nobody leaves before the server has.
      child.ref();
      await exited;
    },
  };
}

function end(pid: number, signal: NodeJS.Signals | undefined): void {
  if (signal === undefined) return killTree(pid);
  try {
    process.kill(pid, signal);
  } catch {
    // It went by itself between the check and the signal.
  }
}

function collectOutput(child: ChildProcess): () => string {
  let text = "";
  const add = (chunk: Buffer): void => {
    text = (text + chunk.toString("utf8")).slice(-64_000);
  };
  child.stdout?.on("data", add);
  child.stderr?.on("data", add);
  return () => text;
}

async function waitUntilReady(
  server: ServerCommand,
  child: ChildProcess,
  output: () => string,
): Promise<void> {
  const giveUpAt = Date.now() + (server.readyTimeoutMs ?? 120_000);
  while (!(output().includes("server-pid ") && (await server.ready(output)))) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > giveUpAt) {
      child.stdin?.end();
      throw new RangeError(`${server.command} did not start:\n${output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

// A forgotten server must not keep the process that started it from ending.
function unreference(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    (stream as { unref?: () => void } | null)?.unref?.();
  }
}
