/** Rows about ticks and the queue, by whole runs over real stores. */
import { describe, expect, it } from "vitest";
import { createEngine, defineWorkflow, NonRetryableError } from "@escapement/engine";
import { INSTANCES, startApi } from "./http-client.ts";
import { REAL_STORES, type RealStore } from "./real-stores.ts";

const INSTANCE_COUNT = 60;
const ENGINE_COUNT = 3;
const TICKS_EACH = 8;

async function withStore(
  open: () => Promise<RealStore>,
  use: (real: RealStore) => Promise<void>,
): Promise<void> {
  const real = await open();
  try {
    await use(real);
  } finally {
    await real.close();
  }
}

async function countRows({ database }: RealStore, table: string): Promise<number> {
  const text = `select count(*) as "n" from "${table}"`;
  const result = await database?.batch([{ text, values: [] }]);
  return result?.kind === "committed" ? Number(result.rows[0]?.[0]?.["n"]) : Number.NaN;
}

describe.each(REAL_STORES)("over $name", ({ open }) => {
  it("S0-096 twenty-four ticks at once by HTTP, over three engines: every body of sixty runs runs once, none stays behind", async () => {
    await withStore(open, async (real) => {
      const first = startApi(real.store);
      const apis = [first, ...Array.from({ length: ENGINE_COUNT - 1 }, () => startApi(real.store))];
      const ids = Array.from({ length: INSTANCE_COUNT }, (_, i) => `i${i}`);
      const instances = ids.map((id) => ({ id, params: id }));
      await first.post(`${INSTANCES}/batch`, { instances });
      const tickAll = async (): Promise<number> => {
        const ticks = apis.flatMap((api) => Array.from({ length: TICKS_EACH }, () => api.tick()));
        const answers = await Promise.all(ticks);
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
        return answers.reduce(
          (sum, { body }) => sum + (body as { processed: number }).processed,
          0,
        );
      };
      expect(await tickAll()).toBe(INSTANCE_COUNT);
      const approve = { type: "approve", payload: null };
      await Promise.all(ids.map((id) => first.post(`${INSTANCES}/${id}/events`, approve)));
      expect(await tickAll()).toBe(INSTANCE_COUNT);
      for (const bodies of ["reserved", "shipped"] as const) {
        const ran = apis.flatMap((api) => api[bodies]);
        expect([ran.length, new Set(ran).size]).toEqual([INSTANCE_COUNT, INSTANCE_COUNT]);
      }
      const { body } = await first.get(`${INSTANCES}?status=complete&pageSize=100`);
      expect((body as { instances: unknown[] }).instances).toHaveLength(INSTANCE_COUNT);
    });
  });
});

describe.each(REAL_STORES.filter(({ name }) => name !== "memory"))(
  "tables of $name",
  ({ open }) => {
    it("S0-085 S0-168 whole runs of every end leave no task, and all instances, steps and events", async () => {
      await withStore(open, async (real) => {
        const work = defineWorkflow(
          { name: "WORK", retries: { limit: 1, delay: 0 } },
          async ({ payload }, step) => {
            await step.do("first", () => "done");
            if (payload === "fail") throw new NonRetryableError("on purpose");
            if (payload === "exhaust") {
              await step.do("never", () => {
                throw new TypeError("again");
              });
            }
            await step.waitForEvent("go", { type: "go" });
          },
        );
        const engine = createEngine({
          workflows: { work },
          store: real.store,
          logger: { log: () => {} },
        });
        const ids = ["complete", "fail", "exhaust", "terminate"];
        for (const id of ids) await engine.createInstance("WORK", { id, params: id });
        const settle = async (): Promise<void> => {
          while ((await engine.tick()).processed > 0);
        };
        await settle();
        await engine.sendEvent("WORK", "complete", { type: "go" });
        await engine.control("WORK", "terminate", "terminate");
        await settle();
        const ends = await Promise.all(ids.map((id) => engine.getInstance("WORK", id)));
        expect(ends.map(({ details }) => details.status)).toEqual([
          "complete",
          "errored",
          "errored",
          "terminated",
        ]);
        expect(await countRows(real, "workflow_task_workflows")).toBe(0);
        expect(await countRows(real, "workflow_instance_workflows")).toBe(ids.length);
        expect(await countRows(real, "workflow_event_workflows")).toBe(1);
        expect(await countRows(real, "workflow_step_workflows")).toBeGreaterThanOrEqual(7);
      });
    });
  },
);
