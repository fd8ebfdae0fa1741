/** The worker processes of a run: started, killed, frozen, counted by what they log. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { WorkerBundle } from "../../proofs/src/worker/spawn-worker.ts";
import { machineMs } from "./ledger.ts";
import type { WorkerJob } from "./worker-job.ts";

/** A line that a worker has printed. */
export interface LogLine {
  readonly t: number;
  readonly pid: number;
  readonly text: string;
}

/** How a process ended that nobody had told to. */
export interface UnexpectedExit {
  readonly pid: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lastLines: readonly string[];
}

/** One place in the fleet: its processes follow one another under one runner id. */
export interface Slot {
  readonly runnerId: string;
  /** Processes that were started here. */
  readonly generation: number;
  readonly pid: number;
  readonly isAlive: boolean;
  readonly isFrozen: boolean;
  /** It has told that it works. */
  readonly isReady: boolean;
}

export interface FleetOptions {
  readonly bundle: WorkerBundle;
  readonly size: number;
  /** The job of the next process of a slot. */
  readonly jobOf: (slot: number, generation: number) => WorkerJob;
  /** Added to the environment of the slot's processes. @default nothing */
  readonly envOf?: (slot: number) => Readonly<Record<string, string>>;
}

interface Place {
  child: ChildProcess | null;
  generation: number;
  isFrozen: boolean;
  isReady: boolean;
}

/** Processes die with this one, however it ends, where the system can do that. */
const dieWithParent: readonly string[] = ((): readonly string[] => {
  try {
    execFileSync("setpriv", ["--pdeathsig", "KILL", "true"], { stdio: "ignore" });
    return ["setpriv", "--pdeathsig", "KILL", "--"];
  } catch {
    return [];
  }
})();

export class Fleet {
  readonly logLines: LogLine[] = [];
  readonly unexpectedExits: UnexpectedExit[] = [];
  readonly #options: FleetOptions;
  readonly #places: readonly Place[];
  /** Processes that we have killed or told to end. */
  readonly #told = new WeakSet<ChildProcess>();
  readonly #exits: Promise<unknown>[] = [];

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#places = Array.from({ length: options.size }, () => ({
      child: null,
      generation: 0,
      isFrozen: false,
      isReady: false,
    }));
    for (const index of this.#places.keys()) this.start(index);
  }

  get size(): number {
    return this.#places.length;
  }

  slot(index: number): Slot {
    const place = this.#place(index);
    const { child, generation, isFrozen } = place;
    const isAlive = child !== null && child.exitCode === null && child.signalCode === null;
    const isReady = isAlive && place.isReady;
    const pid = child?.pid ?? 0;
    return { runnerId: `chaos-${index}`, generation, pid, isAlive, isFrozen, isReady };
  }

  /** Starts the next process of a slot; nothing happens while the one before it lives. */
  start(index: number): void {
    const place = this.#place(index);
    if (this.slot(index).isAlive) return;
    const { bundle, jobOf, envOf } = this.#options;
    const job = JSON.stringify(jobOf(index, place.generation));
    const [command, ...args] = [...dieWithParent, process.execPath, bundle.path, job];
    const child = spawn(command ?? "", args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...envOf?.(index) },
    });
    place.child = child;
    place.generation += 1;
    place.isFrozen = false;
    place.isReady = false;
    this.#exits.push(this.#watch(place, child));
  }

  /** SIGKILL. @returns whether there was somebody to kill */
  kill(index: number): boolean {
    return this.#signal(index, "SIGKILL");
  }

  freeze(index: number): boolean {
    const isDone = this.#signal(index, "SIGSTOP");
    this.#place(index).isFrozen = isDone;
    return isDone;
  }

  thaw(index: number): void {
    const place = this.#place(index);
    if (place.isFrozen) this.#signal(index, "SIGCONT");
    place.isFrozen = false;
  }

  /** Tells all to end and waits; those that do not in time are killed. @returns how many that were */
  async end(graceMs: number): Promise<number> {
    for (const index of this.#places.keys()) {
      this.thaw(index);
      this.#signal(index, "SIGTERM");
    }
    let killedCount = 0;
    const timer = setTimeout(() => {
      for (const index of this.#places.keys()) if (this.kill(index)) killedCount += 1;
    }, graceMs);
    await Promise.all(this.#exits);
    clearTimeout(timer);
    return killedCount;
  }

  /** Kills all at once, frozen ones too. */
  killAll(): void {
    for (const index of this.#places.keys()) this.kill(index);
  }

  #place(index: number): Place {
    return this.#places[index] as Place;
  }

  #signal(index: number, signal: NodeJS.Signals): boolean {
    const { child } = this.#place(index);
    if (child === null || !this.slot(index).isAlive) return false;
    if (signal === "SIGKILL" || signal === "SIGTERM") this.#told.add(child);
    return child.kill(signal);
  }

  async #watch(place: Place, child: ChildProcess): Promise<void> {
    const pid = child.pid ?? 0;
    const own: string[] = [];
    let isReady = false;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (text) => {
        if (text === "ready") {
          isReady = true;
          place.isReady ||= place.child === child;
          return;
        }
        this.logLines.push({ t: machineMs(), pid, text });
        own.push(text);
      });
    }
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    // Before it listens, SIGTERM ends a process as usual.
    const isExpected = signal === "SIGKILL" || code === 0 || (signal === "SIGTERM" && !isReady);
    if (this.#told.has(child) && isExpected) return;
    this.unexpectedExits.push({ pid, code, signal, lastLines: own.slice(-10) });
  }
}
