/**
 * A harness for workflows: no server, no real time. Time moves by `clock.advance`, and work by `tick` and `runUntilIdle`. `restart`
 * discards the runner between steps, as a crash would.
 *
 * @source founding spec 000 §14.3
 */
import type { WorkflowsRegistry } from "../authoring/registry.ts";
import { untilLoaded } from "../core/late.ts";
import { createEngine, type Engine } from "../verbs/engine.ts";
import type { EngineOptions } from "../verbs/engine-options.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { Logger } from "../ports/logger.ts";
import type { HistoryOutput, InstanceStatus } from "../ports/instance-views.ts";
import type { TickInput, TickOutput } from "../ports/tick.ts";
import type { Store } from "../ports/store.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "./fake-time.ts";
import { createFaultStore } from "./fault-store.ts";

/** Workflows under test, and limits. */
export interface HarnessOptions<TRegistry extends WorkflowsRegistry> extends Omit<
  EngineOptions<TRegistry>,
  "store" | "host" | "logger"
> {
  /** @default a memory store on the harness's clock */
  readonly store?: { readonly store: Store; readonly clock: HarnessClock };
}

export interface HarnessClock {
  now(): EpochMs | Promise<EpochMs>;
  advance(ms: number): void | Promise<void>;
}

/** One line that the engine logged. */
export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Runs workflows in a test, with a store in memory and a virtual clock. */
export interface Harness<TRegistry extends WorkflowsRegistry> {
  /** The current engine; another one after `restart`. */
  readonly engine: Engine<TRegistry>;
  readonly workflows: Engine<TRegistry>["workflows"];
  /** Only `advance` moves time: sleeps, retries, timeouts and leases. */
  readonly clock: { now(): EpochMs; advance(ms: number): Promise<void> };
  /** The log lines so far. */
  readonly log: readonly LogLine[];
  /** One pass, as a platform would call it. */
  tick(input?: TickInput): Promise<TickOutput>;
  /** Ticks until nothing is due. Fails after 1000 ticks, or as soon as a workflow awaits something that is not a step. */
  runUntilIdle(): Promise<{ readonly processed: number }>;
  /** Advances to each due time in turn, until nothing is due or `untilMs` have passed. @default 366 days */
  runThroughTime(untilMs?: number): Promise<void>;
  /** By the workflow's `name`, not by its key. `harness.workflows.KEY.get(id)` gives the typed instance. */
  sendEvent(
    workflowName: string,
    instanceId: string,
    event: { readonly type: string; readonly payload?: unknown },
  ): Promise<void>;
  status(workflowName: string, instanceId: string): Promise<InstanceStatus>;
  history(workflowName: string, instanceId: string, runNumber?: number): Promise<HistoryOutput>;
  /** Kills the runner: its calls in flight never return, and its leases stay until they expire. A new runner takes its place. */
  restart(): void;
}

const DEFAULT_LEASE_MS = 30_000;

/** An engine, and everything that ends with its process. */
interface Runner<TRegistry extends WorkflowsRegistry> {
  readonly engine: Engine<TRegistry>;
  kill(): void;
  /**
   * Resolves once a line was logged that the harness fails on, or the process is killed and the call continues with the next one. Its
   * tick may never end.
   */
  readonly interrupted: Promise<null>;
}

/**
 * Creates a harness for workflows under test: no server, and time moves only when you say so.
 *
 * ```ts
 * import { defineWorkflow } from "@escapement/engine";
 * const nap = defineWorkflow({ name: "nap" }, (_event, step) => step.sleep("nap", "1 day"));
 * const harness = createHarness({ workflows: { NAP: nap } });
 * await harness.workflows.NAP.create({ id: "n" });
 * await harness.runThroughTime();
 * console.log((await harness.status("nap", "n")).status); // complete
 * ```
 */
export function createHarness<const TRegistry extends WorkflowsRegistry>(
  options: HarnessOptions<TRegistry>,
): Harness<TRegistry> {
  return openHarness(options, { goesOn: false });
}

/**
 * Like `createHarness`.
 *
 * @param going.goesOn whether a running `runThroughTime` or `runUntilIdle` continues with the new runner after a `restart`; otherwise it
 *   never ends, like the runner that it called
 */
export function openHarness<const TRegistry extends WorkflowsRegistry>(
  options: HarnessOptions<TRegistry>,
  { goesOn }: { readonly goesOn: boolean },
): Harness<TRegistry> {
  const time = createFakeTime();
  const log: LogLine[] = [];
  const complaints: LogLine[] = [];
  const base = options.store?.store ?? createMemoryStore({ now: time.now });
  const start = (): Runner<TRegistry> => {
    const store = createFaultStore(base);
    const { host, stop } = withOwnTimers(time.host);
    let interrupt = (): void => {};
    const interrupted = new Promise<null>((resolve) => (interrupt = () => resolve(null)));
    const logger: Logger = {
      log: (level, event, fields) => {
        const line = { level, event, fields };
        log.push(line);
        if (!isComplaint(line)) return;
        complaints.push(line);
        interrupt();
      },
    };
    const engine = createEngine({ leaseMs: DEFAULT_LEASE_MS, ...options, store, host, logger });
    const kill = (): void => {
      store.kill();
      stop();
      if (goesOn) interrupt();
    };
    return { engine, kill, interrupted };
  };
  let current = start();
  const advance = async (ms: number): Promise<void> => {
    await untilLoaded();
    await options.store?.clock.advance(ms);
    await time.advance(ms);
  };
  const tick = (input?: TickInput): Promise<TickOutput> => current.engine.tick(input);
  const runUntilIdle = async (): Promise<Pick<TickOutput, "processed" | "nextWakeInMs">> => {
    let processed = 0;
    for (let count = 0; count < 1000; count += 1) {
      const result = await Promise.race([tick(), current.interrupted]);
      failOnAwaitOutsideStep(complaints);
      if (result === null) continue;
      processed += result.processed;
      if (result.processed === 0) return { processed, nextWakeInMs: result.nextWakeInMs };
    }
    throw new RangeError("runUntilIdle: work was still due after 1000 ticks");
  };
  return {
    get engine() {
      return current.engine;
    },
    get workflows() {
      return current.engine.workflows;
    },
    clock: { now: time.now, advance },
    log,
    tick,
    runUntilIdle: async () => ({ processed: (await runUntilIdle()).processed }),
    runThroughTime: async (untilMs = 366 * 86_400_000) => {
      const end = time.now() + untilMs;
      for (;;) {
        const { nextWakeInMs } = await runUntilIdle();
        if (nextWakeInMs === null || time.now() + nextWakeInMs > end) return;
        await advance(Math.max(1, nextWakeInMs));
      }
    },
    sendEvent: async (workflowName, instanceId, event) => {
      await current.engine.sendEvent(workflowName, instanceId, event);
    },
    status: async (workflowName, instanceId) =>
      (await current.engine.getInstance(workflowName, instanceId)).details,
    history: (workflowName, instanceId, runNumber) =>
      current.engine.listHistory(
        workflowName,
        instanceId,
        runNumber === undefined ? {} : { runNumber },
      ),
    restart: () => {
      current.kill();
      current = start();
    },
  };
}

/** A host whose timers can be stopped together with the process that set them. */
function withOwnTimers(host: Host): { readonly host: Host; stop(): void } {
  const cancels = new Set<() => void>();
  let isStopped = false;
  const setTimer: Host["setTimer"] = (delayMs, callback) => {
    if (isStopped) return () => {};
    const cancelTimer = host.setTimer(delayMs, () => {
      cancels.delete(cancel);
      callback();
    });
    const cancel = (): void => {
      cancels.delete(cancel);
      cancelTimer();
    };
    cancels.add(cancel);
    return cancel;
  };
  const stop = (): void => {
    isStopped = true;
    for (const cancel of cancels) cancel();
  };
  return { host: { ...host, setTimer }, stop };
}

/** Fails a test whose workflow awaits something that is not a step. */
export function failOnAwaitOutsideStep(log: readonly LogLine[]): void {
  const line = findComplaint(log);
  if (line !== null) throw new RangeError(`${line.event}: ${JSON.stringify(line.fields)}`);
}

/** The first line that the harness fails on; null: none. */
export const findComplaint = (log: readonly LogLine[]): LogLine | null =>
  log.find(isComplaint) ?? null;

const isComplaint = ({ event }: LogLine): boolean =>
  event === "workflow.await_outside_step" ||
  event === "step.called_after_park" ||
  event === "step.called_in_body" ||
  event === "step.called_after_end";
