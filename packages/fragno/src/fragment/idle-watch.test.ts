/** The warning if nobody runs a processor, and that there is none otherwise. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { WorkflowsFragmentConfig } from "./config.ts";
import { defineWorkflow } from "./authoring.ts";
import { PATIENCE_MS } from "./idle-watch.ts";
import { openScene } from "./testing-scene.ts";
import { EMBEDDED, SERVERS, type ServerKind } from "./testing-step-tx.ts";

const workflows = { HELLO: defineWorkflow({ name: "hello" }, () => "hello") } as const;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
});
afterEach(() => {
  vi.useRealTimers();
});

const open = async (
  server: ServerKind = EMBEDDED,
  config: Partial<WorkflowsFragmentConfig> = {},
) => {
  const scene = await openScene(server, { ...config, workflows });
  const warnings = () => scene.log.filter(({ event }) => event === "fragment.nothing_drives");
  /** Waits until the timer's query has been answered. */
  const waitInVain = async (): Promise<void> => {
    const [trips] = await scene.countTrips(async () => {
      await vi.advanceTimersByTimeAsync(PATIENCE_MS);
      await scene.fragment.engine.listInstances("hello", {});
      await scene.fragment.engine.listInstances("hello", {});
    });
    asked = trips - 2;
  };
  let asked = 0;
  return { ...scene, warnings, waitInVain, asked: () => asked };
};

test.each(SERVERS)(
  "S1-025 an instance that nobody runs is told of once on $name, in one trip",
  async (server) => {
    const scene = await open(server);
    await scene.fragment.workflows.HELLO.create({ id: "a" });
    await scene.fragment.workflows.HELLO.create({ id: "b" });
    await scene.waitInVain();
    await expect.poll(scene.warnings).toHaveLength(1);
    expect(scene.warnings()).toMatchObject([
      { level: "warn", fields: { workflowName: "hello", instanceId: "a", queuedForMs: 30_000 } },
    ]);
    expect(scene.asked()).toBe(1);
    await scene.waitInVain();
    expect(scene.warnings()).toHaveLength(1);
    expect(scene.asked()).toBe(0);
    await scene.close();
  },
);

test("S1-025 a composed start that nobody runs is told of, too", async () => {
  const scene = await open();
  await scene.shop.handler(
    new Request("http://app/api/shop/orders/hello/composed", { method: "POST" }),
  );
  await scene.waitInVain();
  await expect.poll(scene.warnings).toMatchObject([{ fields: { instanceId: "composed" } }]);
  await scene.close();
});

test("where runs end in this process nothing is said, and nothing asked", async () => {
  const scene = await open();
  await scene.fragment.workflows.HELLO.create({ id: "a" });
  await scene.fragment.engine.tick();
  await scene.fragment.workflows.HELLO.create({ id: "b" });
  await scene.waitInVain();
  expect([scene.warnings(), scene.asked()]).toEqual([[], 0]);
  await scene.close();
});

test("a database that was ever driven from anywhere is left alone", async () => {
  const scene = await open();
  await scene.fragment.workflows.HELLO.create({ id: "a" });
  await scene.query(
    `update "workflow_instance_workflows" set "startedAt" = "createdAt" where "instanceId" = 'a'`,
  );
  await scene.fragment.workflows.HELLO.create({ id: "b" });
  await scene.waitInVain();
  expect([scene.warnings(), scene.asked()]).toEqual([[], 1]);
  await scene.close();
});

test.each<readonly [string, Partial<WorkflowsFragmentConfig>]>([
  ["hooks", { onWorkflowEnqueued: () => undefined }],
  ["ticks over HTTP", { http: { tick: { bearerSecret: "a-secret-of-at-least-24-characters" } } }],
])("with %s, which may come late, nothing is asked", async (_, config) => {
  const scene = await open(EMBEDDED, config);
  await scene.fragment.workflows.HELLO.create({ id: "a" });
  await scene.waitInVain();
  expect([scene.warnings(), scene.asked()]).toEqual([[], 0]);
  await scene.close();
});

test("a database that is gone by then is nobody's unhandled rejection", async () => {
  const scene = await open();
  await scene.fragment.workflows.HELLO.create({ id: "a" });
  await scene.database.close();
  await vi.advanceTimersByTimeAsync(PATIENCE_MS);
  expect(scene.warnings()).toEqual([]);
  await scene.close();
});
