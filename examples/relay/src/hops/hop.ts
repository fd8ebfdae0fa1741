/** A platform of the relay. */
import { spawnServer } from "@escapement-internal/test-servers";
import type { RunnerSettings } from "../runner-settings.ts";

export interface HopStart {
  readonly settings: RunnerSettings;
  /** A folder of its own, removed afterwards. */
  readonly folder: string;
}

/** A platform's program that runs. */
export interface RunningHop {
  readonly pid: number;
  /** Drives it as the platform would, once. */
  tick(): Promise<void>;
  /** SIGKILL, to all that it has started as well; resolves when the process has gone. */
  kill(): Promise<void>;
}

export interface Hop {
  readonly name: string;
  /** Why it cannot run here, with the command that installs what is missing; null: it can. */
  missing(): string | null;
  /** What differs from the real thing here, and how to change that; null: nothing. @default null */
  readonly note?: () => string | null;
  /** Its databases by HTTP only. @default false */
  readonly needsHttpDatabase?: boolean;
  start(start: HopStart): Promise<RunningHop>;
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly settings: RunnerSettings;
  readonly env?: Readonly<Record<string, string>>;
  /** What it prints when it is up; the group is its URL. @default `listening <url>` */
  readonly ready?: RegExp;
}

/** Starts a program that is told the settings by `RELAY` and ticks by its tick route. */
export async function startProgram(program: Program): Promise<RunningHop> {
  const { command, args, cwd, settings, env = {}, ready = /^listening (\S+)$/m } = program;
  let url = "";
  const server = await spawnServer({
    command,
    args,
    cwd,
    env: { RELAY: JSON.stringify(settings), ...env },
    readyTimeoutMs: 120_000,
    ready: async (output) => {
      url = ready.exec(output())?.[1] ?? "";
      return url !== "";
    },
  });
  return {
    pid: server.pid,
    tick: () => tickByRoute(url, settings),
    kill: () => server.stop(),
  };
}

/** One signed-in call of the tick route, to the end of its answer. */
export async function tickByRoute(url: string, { tickSecret }: RunnerSettings): Promise<void> {
  const response = await fetch(`${url}/api/workflows/_runner/tick`, {
    method: "POST",
    headers: { authorization: `Bearer ${tickSecret}`, "content-type": "application/json" },
    body: JSON.stringify({ maxSteps: 1 }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`the tick route answered ${response.status} ${answer}`);
}
