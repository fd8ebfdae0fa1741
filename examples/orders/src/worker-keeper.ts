/** Keeps one worker running, and kills it at random moments. */
import { setTimeout as wait } from "node:timers/promises";
import { type Child, type ChildEnd, startChild } from "./child-process.ts";
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
  readonly onFailedStart: (lastWords: string, number: number) => void;
  /** Called right before the signal is sent. */
  readonly onKill: (worker: Child, livedMs: number) => void;
  /** A worker went that we neither killed nor stopped. */
  readonly onDeath: (worker: Child, how: string) => void;
  /** Ends the keeper: the present worker is stopped gracefully. */
  readonly signal: AbortSignal;
}

export interface WorkerKeeper {
  /** Where the present worker listens; null while there is none. */
  readonly url: string | null;
  /** The end of what the latest worker printed as errors. */
  readonly lastWords: string;
  /** Resolves when the last worker is gone. @throws {DemoError} workers die that nobody killed */
  readonly done: Promise<void>;
}

const WORKER = new URL("./worker.ts", import.meta.url);
/** Early deaths in a row, none of them ours, before we give up. */
const MAX_EARLY_DEATHS = 3;
/** Who lives longer did work: then somebody else killed it, which is as good as our own kills. */
const EARLY_MS = 1000;

interface KeeperState {
  /** The one that is up. */
  worker: Child | null;
  latest: Child | null;
}

export function keepWorker(options: KeeperOptions): WorkerKeeper {
  const state: KeeperState = { worker: null, latest: null };
  return {
    get lastWords() {
      return state.latest?.lastWords ?? "";
    },
    get url() {
      return state.worker?.url ?? null;
    },
    done: keep(options, state),
  };
}

async function keep(options: KeeperOptions, state: KeeperState): Promise<void> {
  const { settings, onMessage, signal } = options;
  let killsLeft = options.killCount;
  let deaths = 0;
  for (let number = 1; !signal.aborted; number += 1) {
    const worker = await startChild({ program: WORKER, settings, onMessage });
    if (typeof worker === "string") {
      if (!signal.aborted) options.onFailedStart(worker, number);
      deaths = giveUpAfter(deaths + 1, worker);
      continue;
    }
    state.worker = worker;
    state.latest = worker;
    options.onStart(worker, number);
    const end = await live(worker, options, killsLeft > 0 ? options.nextLifeMs() : null);
    state.worker = null;
    if (end.wasKilled) killsLeft -= 1;
    else if (!signal.aborted) options.onDeath(worker, end.how);
    const isEarly = !end.wasKilled && !signal.aborted && end.livedMs < EARLY_MS;
    deaths = isEarly ? giveUpAfter(deaths + 1, `${end.how}\n${end.lastWords}`) : 0;
  }
}

interface Life extends ChildEnd {
  /** By us. */
  readonly wasKilled: boolean;
  readonly livedMs: number;
}

/** Waits until the worker is gone: by itself, by our kill after `lifeMs`, or because the demo is over. */
async function live(
  worker: Child,
  { onKill, signal }: KeeperOptions,
  lifeMs: number | null,
): Promise<Life> {
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
  const end = await worker.exited;
  signal.removeEventListener("abort", stopGracefully);
  over.abort();
  await execution;
  return { ...end, wasKilled, livedMs: Date.now() - startedAt };
}

function giveUpAfter(deaths: number, lastWords: string): number {
  if (deaths < MAX_EARLY_DEATHS) return deaths;
  throw new DemoError(`the worker keeps dying by itself; its last words:\n${lastWords}`);
}
