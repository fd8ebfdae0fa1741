/** Counts and figures of an engine that has more workflows than one statement counts. */
import { expect, it } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFaultStore } from "../testing/fault-store.ts";
import { collectMetrics } from "./metrics.ts";

function openEngine(workflowCount: number) {
  const store = createFaultStore(createMemoryStore());
  const workflows = Object.fromEntries(
    Array.from({ length: workflowCount }, (_, index) => [
      `w${index}`,
      defineWorkflow({ name: `w${index}` }, () => null),
    ]),
  );
  const engine = createEngine({ workflows, store, http: { open: true }, logger: { log() {} } });
  const tripsOf = () => store.calls.filter(({ verb }) => verb === "countInstances").length;
  const queue = async (name: string, count: number): Promise<void> => {
    for (let at = 0; at < count; at += 100)
      await engine.createBatch(
        name,
        Array.from({ length: 100 }, (_, index) => ({ id: `${name}-${at + index}` })),
      );
  };
  return { engine, tripsOf, queue };
}

it("S8-001 an engine of more workflows than a statement counts is counted too, in one trip", async () => {
  const { engine, tripsOf, queue } = openEngine(60);
  await queue("w0", 100);
  const url = "http://127.0.0.1/api/workflows/instances/counts";
  const answer = await engine.fetch(new Request(url));
  expect(answer.status).toBe(200);
  const { counts } = (await answer.json()) as Awaited<ReturnType<typeof engine.countInstances>>;
  expect(counts).toHaveLength(60 * 8);
  expect(counts.filter(({ count }) => count > 0)).toEqual([
    { workflowName: "w0", status: "queued", count: 100, isCapped: true },
  ]);
  expect(tripsOf()).toBe(1);
  const few = await engine.countInstances({ workflows: ["w0"], status: ["queued"] });
  expect(few.counts).toEqual([
    { workflowName: "w0", status: "queued", count: 100, isCapped: false },
  ]);
});

it("S4-055 the gauge of instances counts those of one workflow as far as those of many", async () => {
  const { engine, tripsOf, queue } = openEngine(45);
  await queue("w7", 600);
  const metrics = collectMetrics(engine);
  const text = await metrics.text();
  expect(text).toContain('\nescapement_instances{workflow="w7",status="queued"} 600\n');
  expect(text).not.toContain("escapement_instances_capped{");
  // One of all workflows, and one of the workflow that had more.
  expect(tripsOf()).toBe(2);
});

it("S8-001 an engine of more workflows than one list reads at once has its activity, leases and callbacks", async () => {
  const { engine, queue } = openEngine(300);
  await queue("w299", 100);
  const { buckets, due } = await engine.measureActivity();
  expect(buckets.some(({ created }) => created > 0)).toBe(true);
  expect(due).toMatchObject([{ workflowName: "w299" }]);
  expect(await engine.listLeases()).toMatchObject({ runners: [], leases: [], isCapped: false });
  expect(await engine.listCallbacks()).toMatchObject({ callbacks: [] });
});
