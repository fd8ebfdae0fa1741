/** The processor of durable hooks that the fragment creates. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "@fragno-dev/db";
import { createFragnoAdapter } from "../adapter/adapter.ts";
import { createWorkflowsFragment } from "./create-fragment.ts";
import { createDurableHooksProcessor } from "./processor.ts";
import { defaultFragnoRuntime } from "./runtime.ts";
import { openScene, type Scene } from "./testing-scene.ts";
import { EMBEDDED } from "./testing-step-tx.ts";
import { workflows } from "./testing-hooks.ts";

describe("the processor", () => {
  let scene: Scene<typeof workflows>;
  beforeAll(async () => {
    scene = await openScene(EMBEDDED, { workflows });
  });
  afterAll(() => scene.close());

  test("without onWorkflowEnqueued no hook is filed: the task's row is the outbox", async () => {
    await scene.fragment.workflows.HELLO.create({ id: "plain" });
    await scene.fragment.inContext(async function () {
      await this.handlerTx()
        .withServiceCalls(() => [
          scene.fragment.services.createInstance("hello", { id: "composed" }),
        ])
        .execute();
    });
    expect(await scene.query(`select 1 from "fragno_hooks"`)).toEqual([]);
  });

  test("S1-025 nothing advances without a processor or a tick", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    expect(await scene.fragment.engine.getInstance("hello", "plain")).toMatchObject({
      details: { status: "queued" },
    });
  });

  test("S1-024 one pass runs hooks of all fragments and ticks the engine", async () => {
    const processor = createDurableHooksProcessor([scene.fragment, scene.shop], {
      pollIntervalMs: 250,
    });
    const result = await processor.process();
    expect(result).toEqual({
      processedCount: 0,
      instanceCount: 2,
      moreDue: false,
      nextWakeInMs: null,
    });
  });

  test("S0-136 S1-024 while it polls, what is created elsewhere is found, and what is created here at once", async () => {
    const databaseAdapter = createFragnoAdapter({ database: scene.database });
    const elsewhere = createWorkflowsFragment(
      { workflows, runtime: defaultFragnoRuntime },
      { databaseAdapter },
    );
    const processor = createDurableHooksProcessor([scene.fragment, scene.shop], {
      pollIntervalMs: 20,
    });
    processor.startPolling();
    processor.startPolling();
    await elsewhere.workflows.HELLO.create({ id: "elsewhere" });
    await expect
      .poll(() => elsewhere.engine.getInstance("hello", "elsewhere"), { timeout: 60_000 })
      .toMatchObject({ details: { status: "complete" } });
    await processor.stopPolling();
    await elsewhere.workflows.HELLO.create({ id: "later" });
    expect(await elsewhere.engine.getInstance("hello", "later")).toMatchObject({
      details: { status: "queued" },
    });
  });

  test("a pass that fails is told, while polling to onError and else by rejection", async () => {
    const { database, ...rest } = await openScene(EMBEDDED, { workflows });
    const errors: unknown[] = [];
    const processor = createDurableHooksProcessor([rest.shop], {
      pollIntervalMs: 5,
      onError: (error) => void errors.push(error),
    });
    await database.close();
    await expect(processor.process()).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    processor.startPolling();
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    await processor.stopPolling();
  });

  test("S1-022 what is missing is named: the runtime, its clock, the adapter", () => {
    const refusal = (config: object, options: object): unknown => {
      try {
        return createWorkflowsFragment(config as never, options as never);
      } catch (error) {
        return error;
      }
    };
    const runtime = defaultFragnoRuntime;
    const options = { databaseAdapter: createFragnoAdapter({ database: scene.database }) };
    const isOf = (path: string) => ({ code: "DEPLOY_OPTIONS_INVALID", details: { path } });
    expect(refusal({ workflows }, options)).toMatchObject(isOf("runtime"));
    expect(refusal({ workflows, runtime: {} }, options)).toMatchObject(isOf("runtime"));
    expect(refusal({ workflows, runtime }, {})).toMatchObject(isOf("databaseAdapter"));
  });

  test("S1-022 time and chance are those of the runtime that was given", async () => {
    const databaseAdapter = createFragnoAdapter({ database: scene.database });
    const now = new Date(Date.UTC(2001, 1, 3));
    const runtime = { ...defaultFragnoRuntime, time: { now: () => now } };
    const { workflows: bindings } = createWorkflowsFragment(
      { workflows, runtime },
      { databaseAdapter },
    );
    const { id } = await bindings.HELLO.create();
    expect(Number.parseInt(id.slice(0, 9), 32)).toBe(now.getTime());
    await migrate(scene.fragment);
  });
});
