import { createEngine, type Engine } from "@escapement/engine";
import { replayHistories } from "@escapement/engine/testing/replay";
import { brokenOrder } from "./deployed.ts";
import { hastyOrder } from "./hasty.ts";
import { mendedOrder } from "./mended.ts";

type Store = Parameters<typeof createEngine>[0]["store"];

/** What the operator reads on the way. */
export type Tell = (line: string) => void;

const silent = { logger: { log: () => undefined } };

/** Runs all there is to run, as a process that stays would. */
async function drive(engine: Engine): Promise<void> {
  for (let output = await engine.tick(); output.moreDue || output.processed > 0;)
    output = await engine.tick();
}

/** A thousand orders meet code that breaks those from abroad: three hundred. */
export async function deployBroken(store: Store): Promise<void> {
  const engine = createEngine({ workflows: { ORDER: brokenOrder }, store, ...silent });
  for (let first = 0; first < 1000; first += 100) {
    const numbers = Array.from({ length: 100 }, (_number, index) => first + index);
    await engine.workflows.ORDER.createBatch(
      numbers.map((number) => ({
        id: `order-${number}`,
        params: number % 10 < 3 ? { net: 100 } : { net: 100, vat: { percent: 19 } },
      })),
    );
  }
  await drive(engine);
}

async function countByStatus(engine: Engine): Promise<string> {
  const { counts } = await engine.countInstances({ workflows: ["order"] });
  return counts
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${status}`)
    .join(", ");
}

/** How many there are in each status. */
export const countOrders = (store: Store): Promise<string> =>
  countByStatus(createEngine({ workflows: { ORDER: brokenOrder }, store, ...silent }));

/** What failed, where, and how a good one went on from there. */
export async function investigate(store: Store, tell: Tell): Promise<void> {
  const engine = createEngine({ workflows: { ORDER: brokenOrder }, store, ...silent });
  tell(`orders: ${await countByStatus(engine)}`);
  for (const status of ["errored", "complete"] as const) {
    const { instances } = await engine.findInstances({ status: [status], pageSize: 1 });
    const id = instances[0]?.id ?? "";
    const { steps } = await engine.listHistory("order", id, {});
    const told = steps.map(({ stepKey, error }) =>
      error === null ? stepKey : `${stepKey} failed: ${error.message}`,
    );
    tell(`${id}, ${status}: ${told.join(" → ")}`);
  }
  const { instances } = await engine.findInstances({ status: ["errored"], pageSize: 1 });
  tell((await engine.explainInstance("order", instances[0]?.id ?? "")).sentence);
}

/** Whether code may be deployed over what is stored. */
export async function tryOut(store: Store, tell: Tell): Promise<void> {
  const hasty = await replayHistories({ workflows: { ORDER: hastyOrder }, store });
  tell(`a hasty fix diverges from ${hasty.divergedCount} of ${hasty.replayedCount} histories`);
  const mended = await replayHistories({ workflows: { ORDER: mendedOrder }, store });
  tell(`the fix diverges from ${mended.divergedCount} of ${mended.replayedCount} histories`);
}

/** Deploys the fix, looks at what a retry of them all would do, and does it. */
export async function mend(store: Store, tell: Tell): Promise<void> {
  const engine = createEngine({ workflows: { ORDER: mendedOrder }, store, bulk: true, ...silent });
  const job = { act: "retry", workflows: ["order"], status: ["errored"] } as const;
  const preview = await engine.previewBulk(job);
  tell(`a dry run: ${preview.count} would be retried, ${preview.refusedCount} refused`);
  const { id } = await engine.startBulk(job);
  await drive(engine);
  const { status, progress } = await engine.getBulk(id);
  tell(`the job is ${status}: ${progress.done} of ${progress.total} retried`);
  tell(`orders: ${await countByStatus(engine)}`);
}
