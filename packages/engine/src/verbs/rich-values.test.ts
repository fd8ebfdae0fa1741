/** Values that JSON cannot represent, everywhere: params, results, events, outputs, replay and HTTP. */
import { createSqliteDatabase } from "@escapement/db/sqlite";
import Libsql from "libsql";
import { describe, expect, it } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import type { Store } from "../ports/store.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createSqlStore, migrate } from "../stores/sql/index.ts";

const STORES: readonly (readonly [string, () => Promise<Store>])[] = [
  ["memory", async () => createMemoryStore()],
  [
    "SQLite",
    async () => {
      const database = createSqliteDatabase(new Libsql(":memory:"));
      await migrate(database);
      return createSqlStore({ database });
    },
  ],
];

const RICH = {
  at: new Date("2026-11-22T10:00:00.000Z"),
  map: new Map<unknown, unknown>([["a", new Set([1n])]]),
  numbers: [Number.NaN, -Infinity, -0],
  nothing: undefined,
  bytes: new Uint8Array([0, 255]),
  url: new URL("https://a.test/?b=c"),
  pattern: /a+/u,
  plain: { $escapement: "Date", text: "ключ 🧨\u0000" },
};

describe.each(STORES)("on %s", (_name, openStore) => {
  it("S5-027 params, results, events and outputs come back as they were, live and on replay", async () => {
    const seen: unknown[] = [];
    const w = defineWorkflow({ name: "w" }, async (event, step) => {
      const result = await step.do("make", () => ({ ...RICH, error: new RangeError("kept") }));
      seen.push(event.payload, result);
      const { payload } = await step.waitForEvent("wait", { type: "go" });
      seen.push(payload);
      return RICH;
    });
    const engine = createEngine({
      workflows: { W: w },
      store: await openStore(),
      http: { open: true },
    });
    const instance = await engine.workflows.W.create({ id: "a", params: RICH });
    while ((await engine.tick()).processed > 0);
    await instance.sendEvent({ type: "go", payload: RICH });
    while ((await engine.tick()).processed > 0);

    const [params, result, replayedParams, replayedResult, payload] = seen;
    for (const value of [params, replayedParams, payload]) expect(value).toStrictEqual(RICH);
    for (const value of [result, replayedResult]) {
      const { error, ...rest } = value as typeof RICH & { error: RangeError };
      expect(rest).toStrictEqual(RICH);
      expect(error).toMatchObject({ name: "RangeError", message: "kept" });
    }
    const { details } = await engine.getInstance("w", "a");
    expect(details).toMatchObject({ status: "complete", runNumber: 1 });
    expect(details.output).toStrictEqual(RICH);
    const { steps, events } = await engine.listHistory("w", "a", {});
    expect(steps[1]?.result).toMatchObject({ type: "go", payload: RICH });
    expect(events[0]?.payload).toStrictEqual(RICH);

    const answer = await engine.fetch(
      new Request("http://x/api/workflows/workflows/w/instances/a"),
    );
    expect(await answer.json()).toMatchObject({
      details: {
        output: {
          at: "2026-11-22T10:00:00.000Z",
          map: [["a", ["1"]]],
          numbers: ["NaN", "-Infinity", 0],
          bytes: "AP8=",
          url: "https://a.test/?b=c",
          pattern: "/a+/u",
          plain: RICH.plain,
        },
      },
    });
  });

  it("S5-027 what has no stored form fails the step at once as NOT_SERIALIZABLE with its path", async () => {
    let attempts = 0;
    const w = defineWorkflow({ name: "w" }, (_event, step) =>
      step.do("fetch", () => {
        attempts += 1;
        return { answers: [new Response("a")] };
      }),
    );
    const log: unknown[] = [];
    const logger = {
      log: (level: string, event: string) => void (level !== "debug" && log.push([level, event])),
    };
    const engine = createEngine({ workflows: { W: w }, store: await openStore(), logger });
    await engine.workflows.W.create({ id: "a" });
    while ((await engine.tick()).processed > 0);
    expect(attempts).toBe(1);
    expect((await engine.getInstance("w", "a")).details.error).toMatchObject({
      code: "NOT_SERIALIZABLE",
      details: { path: "$.answers.0", problem: "a Response", stepKey: "fetch" },
    });
    expect(log).toEqual([
      ["warn", "step.attempt_failed"],
      ["error", "run.errored"],
    ]);
    await expect(
      engine.createInstance("w", { params: { p: Promise.resolve() } }),
    ).rejects.toMatchObject({
      code: "NOT_SERIALIZABLE",
      details: { path: "$.p" },
    });
  });
});
