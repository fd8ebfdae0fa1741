/** One process of 256 MB heap beside instances that hold events at their cap. */
import { type ChildProcess, spawn } from "node:child_process";
import { createEngine, type Engine } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "./subjects/open-database.ts";
import { POSTGRES, type TestSubject } from "./subjects/test-database.ts";
import { smallHeapWorkflows } from "./worker/small-heap-workflows.ts";
import { bundleWorker, type WorkerBundle } from "./worker/spawn-worker.ts";

/** Together more than the heap. */
const HOLDERS = 16;
const NOISE_BYTES = 1_000_000;
const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

describe("a process of 256 MB heap", () => {
  let subject: TestSubject;
  let bundle: WorkerBundle;
  let engine: Engine<typeof smallHeapWorkflows>;
  let child: ChildProcess;
  let errors = "";

  beforeAll(async () => {
    subject = await POSTGRES.open();
    bundle = await bundleWorker(new URL("worker/small-heap.ts", import.meta.url));
    const store = createSqlStore({ database: await openDatabase(subject.url) });
    engine = createEngine({ workflows: smallHeapWorkflows, store });
  }, 240_000);
  afterAll(async () => {
    child.kill("SIGKILL");
    bundle.remove();
    await subject.remove();
  });

  const countOf = async (workflowName: string): Promise<number> =>
    (await engine.listInstances(workflowName, { status: "complete", pageSize: 100 })).instances
      .length;

  it("S5-012 S5-013 stays up with instances that hold events at their cap, and runs them and everybody else", async () => {
    for (const index of range(HOLDERS)) {
      const id = `h-${index}`;
      await engine.workflows.HOLDER.create({ id });
      const noise = { type: "noise", payload: "x".repeat(NOISE_BYTES) };
      for (let count = 0; count < 16; count += 1) await engine.sendEvent("holder", id, noise);
      await engine.sendEvent("holder", id, { type: "wanted", payload: index });
      await expect(engine.sendEvent("holder", id, noise)).rejects.toMatchObject({
        code: "EVENT_LIMIT",
      });
    }
    await engine.workflows.BYSTANDER.createBatch(range(50).map((index) => ({ id: `b-${index}` })));
    child = spawn(process.execPath, ["--max-old-space-size=256", bundle.path, subject.url], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      errors += chunk.toString("utf8");
    });
    const options = { interval: 200, timeout: 60_000 };
    await expect.poll(() => countOf("bystander"), options).toBe(50);
    await expect.poll(() => countOf("holder"), options).toBe(HOLDERS);
    expect([child.exitCode, child.signalCode, errors]).toEqual([null, null, ""]);
    expect((await engine.getInstance("holder", "h-3")).details.output).toBe(3);
  }, 180_000);
});
