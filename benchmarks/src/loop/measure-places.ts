/**
 * What the resume of one history with many places costs, beside that of ten histories with a tenth of them each: in turns, in
 * processor time.
 */
import { createEngine, defineWorkflow, type Engine, type WorkflowStep } from "@escapement/engine";
import { median } from "../rounds.ts";
import { openTimedStore, type TimedStoreName } from "./timed-stores.ts";

export interface PlacesFigures {
  readonly places: number;
  /** Processor time from the event until the run waits again, the database's with it: of the one history. */
  readonly oneMs: number;
  /** Of the ten, together. */
  readonly tenMs: number;
  /** The median of the ratios of neighbours: one / ten. */
  readonly ratio: number;
}

/** How much is measured. */
export interface PlacesSize {
  readonly places: number;
  readonly rounds: number;
}

interface MeasureOptions {
  readonly store: TimedStoreName;
  readonly size: PlacesSize;
  readonly postgresUrl: string | null;
  readonly say: (message: string) => void;
}

const BRANCH = ["first", "second", "third"];
/** Places of one part: a join of three steps and three steps in a `try`, which has no row, and three steps behind it. */
const PART_PLACES = 10;

const inOrder = async (step: WorkflowStep): Promise<void> => {
  for (const name of BRANCH) await step.do(name, () => name);
};

const MANY = defineWorkflow({ name: "many" }, async (event, step) => {
  const { places } = event.payload as { readonly places: number };
  for (let part = 0; part < places / PART_PLACES; part += 1) {
    await step.join("both", { left: inOrder, right: (own) => own.try("attempt", inOrder) });
    await inOrder(step);
  }
  for (;;) await step.waitForEvent("again", { type: "again" });
});
const workflows = { MANY };

const TEN = Array.from({ length: 10 }, (_none, index) => `tenth-${index}`);

export async function measurePlaces(options: MeasureOptions): Promise<PlacesFigures> {
  const { store: name, size, postgresUrl, say } = options;
  const store = await openTimedStore(name, postgresUrl);
  try {
    // A wait is a place too.
    const limits = { maxStepsPerRun: size.places + 10_000 };
    const engine = createEngine({ workflows, store: store.store, limits });
    await engine.workflows.MANY.create({ id: "one", params: { places: size.places } });
    await engine.workflows.MANY.createBatch(
      TEN.map((id) => ({ id, params: { places: size.places / TEN.length } })),
    );
    await settle(engine);
    say(`${name}: histories of ${size.places} places and of a tenth of them`);
    const time = async (ids: readonly string[]): Promise<number> => {
      const beforeMs = store.processorMs();
      for (const id of ids) await engine.sendEvent("many", id, { type: "again" });
      await settle(engine);
      return store.processorMs() - beforeMs;
    };
    const pairs: { readonly oneMs: number; readonly tenMs: number }[] = [];
    for (let round = 0; round < size.rounds; round += 1) {
      const oneFirstMs = round % 2 === 0 ? await time(["one"]) : null;
      const tenMs = await time(TEN);
      pairs.push({ oneMs: oneFirstMs ?? (await time(["one"])), tenMs });
    }
    return {
      places: size.places,
      oneMs: median(pairs.map(({ oneMs }) => oneMs)),
      tenMs: median(pairs.map(({ tenMs }) => tenMs)),
      ratio: median(pairs.map(({ oneMs, tenMs }) => oneMs / tenMs)),
    };
  } finally {
    await store.remove();
  }
}

async function settle(engine: Engine<typeof workflows>): Promise<void> {
  while ((await engine.tick()).processed > 0);
}
