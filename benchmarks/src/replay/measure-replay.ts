/** Replays many stored histories against edited code, from the database and from an export of it. */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createEngine, type Engine } from "@escapement/engine";
import type { SqlStore } from "@escapement/engine/store/sql";
import { replayExport, replayHistories } from "@escapement/engine/testing/replay";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { collectNow, measureHeapBytes } from "../extras/collect-garbage.ts";
import type { StoreName } from "../metrics.ts";
import type { Stage } from "../stores/stage.ts";
import { defineOrder, RENAMED_EVERY } from "./order.ts";

type Report = Awaited<ReturnType<typeof replayHistories>>;

/** Figures of one replay of all histories. */
export interface ReplayFigures {
  readonly store: StoreName;
  readonly from: "database" | "export";
  readonly histories: number;
  readonly tookMs: number;
  /** Of this process; an embedded database's work is in it. */
  readonly cpuMs: number;
  /** Live bytes of the heap above those before the replay, after a tenth of the histories, and the most that were seen. */
  readonly heapAtTenthBytes: number;
  readonly heapAtMostBytes: number;
  /** To be 0. */
  readonly bodiesStarted: number;
  /** Instances that the edited code does not fit, and those of them that the report names with the renamed step. */
  readonly misfits: number;
  readonly diverged: number;
  readonly named: number;
}

interface Options {
  readonly store: StoreName;
  readonly histories: number;
  readonly say: (message: string) => void;
}

/** How often the heap is measured during a replay. */
const LOOKS = 20;

export async function measureReplay(
  stage: Stage,
  { store: name, histories, say }: Options,
): Promise<readonly ReplayFigures[]> {
  const directory = temporaryDirectory();
  const path = join(directory.path, "orders.jsonl");
  const store = stage.openStore();
  try {
    say(`${name}: storing ${histories} histories`);
    await fill(store, { histories, path });
    const figures: ReplayFigures[] = [];
    for (const from of ["database", "export"] as const) {
      say(`${name}: replaying them from the ${from}`);
      const figure = await measureOne(histories, ({ workflows }) =>
        from === "database"
          ? replayHistories({ workflows, store, maxInstances: histories })
          : replayExport({ workflows, chunks: createReadStream(path) }),
      );
      figures.push({ store: name, from, ...figure });
    }
    return figures;
  } finally {
    await store.close();
    await stage.remove();
    directory.remove();
  }
}

const toId = (number: number): string => `order-${number}`;

async function fill(
  store: SqlStore,
  { histories, path }: { readonly histories: number; readonly path: string },
): Promise<void> {
  const workflows = { ORDER: defineOrder(false, { bodyStarted: () => {} }) };
  const engine = createEngine({ workflows, store, logger: { log: () => {} } });
  for (let from = 1; from <= histories; from += 100) {
    const count = Math.min(100, histories - from + 1);
    const batch = Array.from({ length: count }, (_, at) => ({
      id: toId(from + at),
      params: from + at,
    }));
    await engine.workflows.ORDER.createBatch(batch);
    for (let isBusy = true; isBusy;) isBusy = (await engine.tick()).processed > 0;
  }
  await exportAll(engine, { histories, path });
}

async function exportAll(
  engine: Pick<Engine, "control" | "export">,
  { histories, path }: { readonly histories: number; readonly path: string },
): Promise<void> {
  const file = await open(path, "w");
  try {
    for (let number = 1; number <= histories; number += 1) {
      // A live instance is exported while it is paused.
      if (number % 2 === 1) await engine.control("order", toId(number), "pause");
      for await (const line of engine.export("order", toId(number))) await file.write(line);
    }
  } finally {
    await file.close();
  }
}

interface Code {
  readonly workflows: { readonly ORDER: ReturnType<typeof defineOrder> };
}

async function measureOne(
  histories: number,
  replay: (code: Code) => Promise<Report>,
): Promise<Omit<ReplayFigures, "store" | "from">> {
  const before = await measureHeapBytes();
  const heaps: number[] = [];
  let begun = 0;
  let bodiesStarted = 0;
  const order = defineOrder(true, {
    bodyStarted: () => void (bodiesStarted += 1),
    begun() {
      begun += 1;
      if (begun % Math.ceil(histories / LOOKS) !== 0) return;
      heaps.push(collectNow() - before);
    },
  });
  const cpu = process.cpuUsage();
  const begunAtMs = performance.now();
  const report = await replay({ workflows: { ORDER: order } });
  const tookMs = performance.now() - begunAtMs;
  const { user, system } = process.cpuUsage(cpu);
  return {
    histories: report.replayedCount,
    tookMs,
    cpuMs: (user + system) / 1000,
    heapAtTenthBytes: heaps[LOOKS / 10 - 1] ?? 0,
    heapAtMostBytes: Math.max(0, ...heaps),
    bodiesStarted,
    misfits: Math.floor(histories / RENAMED_EVERY),
    diverged: report.divergedCount,
    named: countNamed(report),
  };
}

/** Instances that are named with the step that the edit renamed, and are among those that it was renamed for. */
const countNamed = ({ divergences }: Report): number =>
  new Set(
    divergences
      .filter(({ stepKey, instanceId }) => stepKey === "step 10" && isMisfit(instanceId))
      .map(({ instanceId }) => instanceId),
  ).size;

const isMisfit = (id: string): boolean => Number(id.replace("order-", "")) % RENAMED_EVERY === 0;
