/** Drives fragments: their durable hooks, and the engines of the workflows fragments among them. */
import type { DurationMs } from "@escapement/engine/internal";
import { createConsoleLogger, type Engine, type TickOutput } from "@escapement/engine";
import type { RunningLoop } from "@escapement/engine/types";
import { type DatabaseFragment, findHooks } from "../adapter/hooks/hook-pool.ts";
import {
  createHooksProcessor,
  type DurableHooksOptions,
  type HooksProcessor,
  type ProcessOptions,
  toSafe,
} from "../adapter/hooks/processor.ts";
import { createStockDatabase } from "../adapter/stock-database.ts";

/** What a pass of the processor did. */
export interface ProcessResult {
  /** How many hooks ran, successful or not. Hooks on Fragno's own adapters are not counted. */
  readonly processedCount: number;
  /** How many instances were advanced. */
  readonly instanceCount: number;
  /** The time ran out while something was due. */
  readonly moreDue: boolean;
  /**
   * When more is due, in milliseconds of the database's clock: a run, or a hook for its next try; null: nothing will be due
   * by itself. Hooks on Fragno's own adapters are not included.
   */
  readonly nextWakeInMs: DurationMs | null;
}

/** Runs the durable hooks and the workflows of fragments. */
export interface DurableHooksProcessor {
  /**
   * Runs due hooks and ticks the engines until nothing is due or the time is up. For functions that are called from time to
   * time.
   */
  process(options?: ProcessOptions): Promise<ProcessResult>;
  /**
   * Runs hooks and workflows in this process from now on. Engines use their loop, so they hear of commits in this process at
   * once.
   */
  startPolling(): void;
  /** Starts nothing new, and resolves when everything that is running has ended. */
  stopPolling(): Promise<void>;
}

/**
 * Creates the processor of these fragments. Without one, hooks wait, and workflows advance only by ticks.
 *
 * @throws {FragnoAdapterError} INVALID_QUERY — a fragment's adapter is neither ours nor one of Fragno's own
 */
export function createDurableHooksProcessor(
  fragments: readonly DatabaseFragment[],
  options: DurableHooksOptions = {},
): DurableHooksProcessor {
  const engines = fragments.flatMap((fragment) => (hasEngine(fragment) ? [fragment.engine] : []));
  const onError = toSafe(options.onError ?? logError);
  const stock = fragments.filter(isStock);
  const ours = fragments.filter((fragment) => !isStock(fragment));
  const hooks = createHooksProcessor(ours, { ...options, onError });
  const parts = { engines, hooks, stock };
  return {
    process: (processOptions = {}) => processAll(parts, processOptions),
    ...createDriver(parts, { pollIntervalMs: options.pollIntervalMs ?? 1000, onError }),
  };
}

interface Parts {
  readonly engines: readonly Engine[];
  readonly hooks: HooksProcessor;
  /** Fragments on Fragno's own adapters, whose hooks only Fragno itself can run. */
  readonly stock: readonly DatabaseFragment[];
}

async function processAll(
  { engines, hooks, stock }: Parts,
  { timeBudgetMs = Infinity }: ProcessOptions,
): Promise<ProcessResult> {
  const startedAtMs = performance.now();
  const leftMs = (): number => Math.max(0, timeBudgetMs - (performance.now() - startedAtMs));
  let processedCount = 0;
  let instanceCount = 0;
  for (;;) {
    // Concurrently, so that a hook that hangs is only waited for at the end.
    const [ran, ticks] = await settleBoth(
      runHooks({ hooks, stock }, leftMs()),
      Promise.all(engines.map((engine) => tick(engine, leftMs()))),
    );
    const advanced = ticks.reduce((sum, { processed }) => sum + processed, 0);
    processedCount += ran.processedCount;
    instanceCount += advanced;
    const moreDue = ran.moreDue || ticks.some((output) => output.moreDue);
    // What ran may have made more due: hooks of steps, and runs that hooks started.
    const mayHaveMore = moreDue || advanced > 0 || (ran.processedCount > 0 && engines.length > 0);
    if (mayHaveMore && leftMs() > 0) continue;
    const ends = ticks.map((end) => end.nextWakeInMs);
    const nextWakeInMs = shortest([await hooks.nextDueInMs(), ...ends]);
    return { processedCount, instanceCount, moreDue, nextWakeInMs };
  }
}

async function runHooks(
  { hooks, stock }: Pick<Parts, "hooks" | "stock">,
  timeBudgetMs: number,
): Promise<Awaited<ReturnType<HooksProcessor["process"]>>> {
  const ran = await hooks.process({ timeBudgetMs });
  for (const fragment of stock) await findHooks(fragment);
  return ran;
}

/** Both results, or the first rejection, but only after both have ended. */
async function settleBoth<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

const tick = (engine: Engine, leftMs: number): Promise<TickOutput> =>
  engine.tick({ deadline: leftMs === Infinity ? null : Date.now() + leftMs, lingerMs: 0 });

function shortest(durations: readonly (DurationMs | null)[]): DurationMs | null {
  const known = durations.filter((durationMs) => durationMs !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Loops for the engines, and passes for the hooks. */
function createDriver(
  { engines, hooks, stock }: Parts,
  options: Required<Pick<DurableHooksOptions, "pollIntervalMs" | "onError">>,
): Pick<DurableHooksProcessor, "startPolling" | "stopPolling"> {
  const { pollIntervalMs: pollMs, onError } = options;
  let loops: readonly RunningLoop[] | null = null;
  let timer: ReturnType<typeof setInterval> | undefined;
  let stockPass: Promise<void> | null = null;
  const pollStock = async (): Promise<void> => {
    for (const fragment of stock) await findHooks(fragment).catch(onError);
    stockPass = null;
  };
  return {
    startPolling() {
      if (loops !== null) return;
      loops = engines.map((engine) => engine.startLoop({ pollMs }));
      hooks.startPolling();
      if (stock.length > 0) timer = setInterval(() => void (stockPass ??= pollStock()), pollMs);
    },
    async stopPolling() {
      const running = loops ?? [];
      loops = null;
      clearInterval(timer);
      await Promise.all([hooks.stopPolling(), stockPass, ...running.map((loop) => loop.stop())]);
    },
  };
}

function isStock({ $internal }: DatabaseFragment): boolean {
  const { databaseAdapter } = $internal.options as { readonly databaseAdapter: object };
  return createStockDatabase(databaseAdapter) !== null;
}

function hasEngine(fragment: object): fragment is { readonly engine: Engine } {
  if (!("engine" in fragment)) return false;
  const { engine } = fragment;
  return typeof engine === "object" && engine !== null && "tick" in engine && "startLoop" in engine;
}

function logError(error: unknown): void {
  createConsoleLogger().log("error", "hooks.pass_failed", { error: String(error) });
}
