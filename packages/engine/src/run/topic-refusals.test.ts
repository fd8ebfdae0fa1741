/** Refused messages, and runs that wait or emit again. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTopic, WorkflowError } from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { placed, anything, type Author, define, createWaiters } from "./testing-topics.ts";

const code = async (call: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await call();
  } catch (error) {
    return WorkflowError.is(error) ? error.code : String(error);
  }
};

describe("S6-015 topics", () => {
  test("S6-015 a step emits once, and its payload is checked", async () => {
    const author: Author = async (step, params: { readonly emits: boolean } | undefined) => {
      if (params?.emits !== true) return (await step.waitForTopic("wait", placed)).payload.n;
      await step.emit(placed, { n: 4 }, { id: "once" });
      await step.do("between", () => 1);
      await step.emit(placed, { n: 5 }, { id: "once" });
      return code(() => step.emit(placed, { n: "no" } as never));
    };
    const { harness, outputs } = await createWaiters(author, ["x", "y"]);
    await harness.workflows.W.create({ id: "e", params: { emits: true } });
    expect(await outputs()).toEqual([4, 4]);
    expect(await harness.status("w", "e")).toMatchObject({ output: "INVALID_EVENT_PAYLOAD" });
  });

  test("S6-015 what a step has emitted is not checked again: not by a schema that is stricter by now", async () => {
    let most = 10;
    const schema = z.number().refine((n) => n <= most);
    const strict = defineTopic({ name: "strict", schema });
    const W = define(async (step) => {
      await step.emit(strict, 9);
      await step.sleep("nap", "1 hour");
      return "emitted";
    });
    const harness = createHarness({ workflows: { W }, topics: [strict] });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    most = 5;
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ output: "emitted" });
  });

  test("S6-015 what is no topic, no payload or no option is refused at the door", async () => {
    const { engine, outputs } = await createWaiters(async (step) => [
      await code(() => step.waitForTopic("a", "unknown")),
      await code(() => step.waitForTopic("b", placed, { since: "then" })),
      await code(() => step.waitForTopic("b", placed, { since: "#-1" })),
      await code(() => step.waitForTopic("c", placed, { from: 1 } as never)),
      await code(() => step.waitForTopic("d", placed, { timeout: 1 })),
      await code(() => step.emit("unknown")),
      await code(() => step.emit(placed, { n: 1 }, { id: "" })),
      await code(() => step.emit(undefined as never)),
    ]);
    const [codes] = await outputs();
    expect(codes).toEqual([
      "TOPIC_NOT_FOUND",
      "INVALID_REQUEST",
      "INVALID_REQUEST",
      "UNKNOWN_OPTION",
      "INVALID_DURATION",
      "TOPIC_NOT_FOUND",
      "INVALID_IDEMPOTENCY_KEY",
      "INVALID_STEP_NAME",
    ]);
    expect(await code(() => engine.emit("unknown"))).toBe("TOPIC_NOT_FOUND");
    expect(await code(() => engine.emit("__proto__"))).toBe("TOPIC_NOT_FOUND");
    expect(await code(() => engine.emit(placed, { n: "1" } as never))).toBe(
      "INVALID_EVENT_PAYLOAD",
    );
    expect(await code(() => engine.emit(anything, () => 1))).toBe("NOT_SERIALIZABLE");
    expect(await code(() => engine.emit(placed, { n: 1 }, { key: "x" } as never))).toBe(
      "UNKNOWN_OPTION",
    );
    expect(await code(() => engine.listWaiters(placed, { limit: 0 }))).toBe("INVALID_REQUEST");
    const twice = { workflows: {}, topics: [placed, placed] };
    expect(() => createHarness(twice)).toThrow("declared twice");
    expect(() => createHarness({ ...twice, topics: [defineTopic({ name: "a b" })] })).toThrow(
      "topic name",
    );
  });

  test("S6-015 a rewind to the wait takes its message again, and a restart waits anew", async () => {
    const { engine, harness, outputs } = await createWaiters(async (step) => {
      const { payload } = await step.waitForTopic("wait", placed);
      return payload.n;
    });
    await engine.emit(placed, { n: 1 });
    expect(await outputs()).toEqual([1]);
    await engine.rewind("w", "x", "wait");
    expect(await outputs()).toEqual([1]);
    await engine.control("w", "x", "restart");
    expect(await outputs()).toEqual(["waiting"]);
    await engine.emit(placed, { n: 2 });
    expect(await outputs()).toEqual([2]);
    await engine.fork("w", "x", "wait", { id: "y" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "y")).toMatchObject({ status: "waiting" });
  });

  test("S6-015 a retry of a run whose wait timed out waits anew", async () => {
    const { engine, harness, outputs } = await createWaiters(async (step) => {
      const { payload } = await step.waitForTopic("wait", placed, { timeout: "1 minute" });
      return payload.n;
    });
    await harness.clock.advance(60_000);
    expect(await outputs()).toEqual(["EVENT_TIMEOUT"]);
    await engine.control("w", "x", "retry");
    expect(await outputs()).toEqual(["waiting"]);
    expect(await engine.listWaiters(placed)).toMatchObject([{ id: "x", stepKey: "wait" }]);
    await engine.emit(placed, { n: 3 });
    expect(await outputs()).toEqual([3]);
  });
});
