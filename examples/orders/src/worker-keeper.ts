/** Keeps one worker running, and kills it at random moments. */
import { setTimeout as wait } from "node:timers/promises";
import { type Child, startChild } from "./child-process.ts";
import type { ChildMessage } from "./child-side.ts";
import { DemoError } from "./demo-error.ts";
import type { WorkerSettings } from "./worker.ts";

export interface KeeperOptions {
  readonly settings: WorkerSettings;
  readonly killCount: number;
  /** Milliseconds that each worker lives until it is killed. */
  readonly nextLifeMs: () => number;
  readonly onMessage: (message: ChildMessage) => void;
  readonly onStart: (worker: Child, number: number) => void;
  /** Called right before the signal is sent. */
  readonly onKill: (worker: Child, livedMs: number) => void;
  /** Ends the keeper: the present worker is stopped gracefully. */
  readonly signal: AbortSignal;
}

export interface WorkerKeeper {
  /** Where the present worker listens; null while there is none. */
  readonly url: string | null;
  /** Resolves when the last worker is gone. @throws {DemoError} workers die that nobody killed */
  readonly done: Promise<void>;
}

const WORKER = new URL("./worker.ts", import.meta.url);
/** Deaths in a row that are not ours before we give up. */
const MAX_UNEXPECTED_DEATHS = 3;

export function keepWorker(options: KeeperOptions): WorkerKeeper {
  const state = { worker: null as Child | null };
  return {
    get url() {
      return state.worker?.url ?? null;
    },
    done: keep(options, state),
  };
}

async function keep(options: KeeperOptions, state: { worker: Child | null }): Promise<void> {
  const { settings, onMessage, signal } = options;
  let killsLeft = options.killCount;
  let deaths = 0;
  for (let number = 1; !signal.aborted; number += 1) {
    const worker = await startChild({ program: WORKER, settings, onMessage });
    if (typeof worker === "string") {
      deaths = giveUpAfter(deaths + 1, worker);
      continue;
    }
    state.worker = worker;
    options.onStart(worker, number);
    const end = await live(worker, options, killsLeft > 0 ? options.nextLifeMs() : null);
    state.worker = null;
    if (end.wasKilled) killsLeft -= 1;
    deaths = end.wasKilled || signal.aborted ? 0 : giveUpAfter(deaths + 1, end.lastWords);
  }
}

/** Waits until the worker is gone: by itself, by our kill after `lifeMs`, or because the demo is over. */
async function live(
  worker: Child,
  { onKill, signal }: KeeperOptions,
  lifeMs: number | null,
): Promise<{ readonly wasKilled: boolean; readonly lastWords: string }> {
  const startedAt = Date.now();
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  let wasKilled = false;
  const executioner = async (): Promise<void> => {
    if (lifeMs === null) return;
    await wait(lifeMs, undefined, { signal: stop });
    wasKilled = true;
    onKill(worker, Date.now() - startedAt);
    worker.kill("SIGKILL");
  };
  const execution = executioner().catch(() => undefined);
  const stopGracefully = (): void => worker.kill("SIGTERM");
  if (signal.aborted) stopGracefully();
  signal.addEventListener("abort", stopGracefully);
  const { lastWords } = await worker.exited;
  signal.removeEventListener("abort", stopGracefully);
  over.abort();
  await execution;
  return { wasKilled, lastWords };
}

function giveUpAfter(deaths: number, lastWords: string): number {
  if (deaths < MAX_UNEXPECTED_DEATHS) return deaths;
  throw new DemoError(`the worker keeps dying by itself; its last words:\n${lastWords}`);
}
