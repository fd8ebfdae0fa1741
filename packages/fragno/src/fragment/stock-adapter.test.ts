/** The fragment on Fragno's own published adapters: slower, with one warning, and correct where that is possible. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "@fragno-dev/db";
import { createStockDatabase } from "../adapter/stock-database.ts";
import { defineWorkflow } from "./authoring.ts";
import { createWorkflowsFragment, type WorkflowsFragment } from "./create-fragment.ts";
import { createDurableHooksProcessor } from "./processor.ts";
import { defaultFragnoRuntime } from "./runtime.ts";
import { callService, createShop, shopSchema } from "./testing-scene.ts";
import type { LogLine } from "./testing-step-tx.ts";
import { type Stock, STOCK_KINDS } from "./testing-stock.ts";

const workflows = {
  ORDER: defineWorkflow({ name: "order" }, async (_event, step) => {
    const first = await step.do("first", () => 1);
    await step.progress("waiting");
    const { payload } = await step.waitForEvent("go", { type: "go", timeout: "1 hour" });
    return [first, payload];
  }),
} as const;

describe.each(STOCK_KINDS)("on $name", ({ open }) => {
  let stock: Stock;
  let fragment: WorkflowsFragment<typeof workflows>;
  let shop: ReturnType<typeof createShop>;
  const log: LogLine[] = [];
  beforeAll(async () => {
    stock = await open();
    const options = { databaseAdapter: stock.adapter };
    const logger = {
      log: (level: LogLine["level"], event: string, fields: LogLine["fields"]) =>
        void log.push({ level, event, fields }),
    };
    fragment = createWorkflowsFragment(
      { workflows, runtime: defaultFragnoRuntime, logger, http: { open: true } },
      options,
    );
    shop = createShop(options, { workflows: fragment.services });
    await migrate(fragment);
    await migrate(shop);
  });
  afterAll(() => stock.close());

  const call = (make: () => unknown): Promise<unknown> => callService(fragment, make);
  const order = (id: string): Promise<Response> =>
    shop.handler(new Request(`http://app/api/shop/orders/order/${id}`, { method: "POST" }));

  test("one warning says what is unsafe", () => {
    expect(log.filter(({ event }) => event === "fragment.stock_adapter")).toMatchObject([
      { level: "warn", fields: { unsafe: expect.any(Array), instead: expect.any(String) } },
    ]);
  });

  test("an instance and a domain row are one transaction; a taken id refuses both with its code", async () => {
    expect(await (await order("a")).json()).toEqual({ id: "a", status: "queued" });
    const again = await order("a");
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({ code: "INSTANCE_ID_ALREADY_EXISTS" });
    await shop.inContext(async function () {
      await this.handlerTx()
        .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number: "b" }))
        .execute();
    });
    await order("b");
    await expect(
      call(() => fragment.services.getInstanceStatus("order", "b")),
    ).rejects.toMatchObject({
      code: "INSTANCE_NOT_FOUND",
    });
  });

  test("workflows run, wait, are woken, paused and read, through services, bindings and routes", async () => {
    const processor = createDurableHooksProcessor([fragment, shop]);
    expect(await processor.process()).toMatchObject({ instanceCount: 1, moreDue: false });
    const { services } = fragment;
    expect(await call(() => services.getInstanceStatus("order", "a"))).toEqual({
      status: "waiting",
      runNumber: 1,
    });
    expect(await call(() => services.pause("order", "a"))).toMatchObject({ status: "paused" });
    expect(await call(() => services.resume("order", "a"))).toMatchObject({ status: "queued" });
    await processor.process();
    await call(() => services.sendEvent("order", "a", { type: "go", payload: { deep: ["1", 2] } }));
    await processor.process();
    const status = { status: "complete", runNumber: 1, output: [1, { deep: ["1", 2] }] };
    expect(await call(() => services.getInstanceStatus("order", "a"))).toEqual(status);
    expect(await (await fragment.workflows.ORDER.get("a")).status()).toEqual(status);
    const response = await fragment.handler(
      new Request("http://app/api/workflows/workflows/order/instances/a"),
    );
    expect(await response.json()).toEqual({ id: "a", details: status });
    const history = await call(() => services.listHistory("order", "a"));
    expect(await call(() => services.readProgress("order", "a"))).toMatchObject({
      entries: [{ sequence: 1, value: "waiting" }],
      cursor: 1,
      ended: true,
    });
    expect(history).toMatchObject({
      steps: [{ name: "first" }, { type: "progress" }, { name: "go", status: "completed" }],
      events: [{ type: "go", consumedByStepKey: "go" }],
    });
    expect(await call(() => services.restart("order", "a"))).toEqual({
      status: "queued",
      runNumber: 2,
    });
    await expect(
      call(() => services.sendEvent("order", "no", { type: "go" })),
    ).rejects.toMatchObject({
      code: "INSTANCE_NOT_FOUND",
    });
  });

  test("a batch skips ids that exist", async () => {
    const batch = ["a", "c", "d", "c"].map((id) => ({ id }));
    expect(await call(() => fragment.services.createBatch("order", batch))).toMatchObject({
      instances: [{ id: "c" }, { id: "d" }],
      skipped: ["a", "c"],
    });
  });

  test("instants are the database's own, whatever zone the process is in", async () => {
    const database = createStockDatabase(stock.adapter);
    const result = await database?.batch([
      {
        text: `select abs(${database.dialect.toMs(`"createdAt"`)} - ${database.dialect.nowMs}) as "age" from "workflow_instance_workflows"`,
        values: [],
      },
    ]);
    const ages = result?.kind === "committed" ? (result.rows[0] ?? []) : [];
    expect(ages.length).toBeGreaterThan(0);
    for (const { age } of ages) expect(age).toBeLessThan(60_000);
  });

  test("the Batch port over the adapter tells guards, unique indexes and mistakes apart, and applies all or nothing", async () => {
    const database = createStockDatabase(stock.adapter);
    const { dialect } = database ?? { dialect: null };
    const insert = `insert into "fragno_db_settings" ("id", "key", "value") values ('x', 'x', 'x')`;
    const run = (...texts: readonly string[]) =>
      database?.batch(texts.map((text) => ({ text, values: [] })));
    expect(await run(insert, dialect?.guard("no", "1 = 2") ?? "")).toEqual({
      kind: "conflict",
      reason: "guard",
      guard: "no",
    });
    expect(await run(insert)).toMatchObject({ kind: "committed" });
    expect(await run(insert)).toMatchObject({ kind: "unique" });
    await expect(run("select nonsense from nowhere")).rejects.toMatchObject({
      code: "DATABASE_REJECTED",
    });
  });
});

test("polling that is stopped waits for the hook under way, and for its mark", async () => {
  const stock = await STOCK_KINDS[1]?.open();
  if (stock === undefined) throw new RangeError("no file");
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  let tries = 0;
  const fragment = createWorkflowsFragment(
    {
      workflows,
      runtime: defaultFragnoRuntime,
      logger: { log: () => undefined },
      async onWorkflowEnqueued() {
        tries += 1;
        // Fragno's own adapters run a hook in the request that files it; the processor makes the next attempt.
        if (tries === 1) throw new RangeError("not in a request");
        begin();
        await held;
      },
    },
    { databaseAdapter: stock.adapter },
  );
  await migrate(fragment);
  await fragment.inContext(async function () {
    await this.handlerTx()
      .withServiceCalls(() => [fragment.services.createInstance("order", { id: "a" })])
      .execute();
  });
  const processor = createDurableHooksProcessor([fragment], { pollIntervalMs: 1 });
  processor.startPolling();
  await begun;
  let isStopped = false;
  const stopping = processor.stopPolling().then(() => (isStopped = true));
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(isStopped).toBe(false);
  release();
  await stopping;
  const database = createStockDatabase(stock.adapter);
  const look = { text: `select "status" from "fragno_hooks"`, values: [] };
  expect(await database?.batch([look])).toMatchObject({ rows: [[{ status: "completed" }]] });
  expect(tries).toBe(2);
  await stock.close();
});

test("an adapter of another kind is refused by name", () => {
  expect(() =>
    createWorkflowsFragment(
      { workflows, runtime: defaultFragnoRuntime },
      { databaseAdapter: {} as never },
    ),
  ).toThrow(expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }));
});
