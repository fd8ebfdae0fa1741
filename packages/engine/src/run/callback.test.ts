/** `step.callback` in a run: deterministic, durable, once, and in time. */
import { beforeAll, describe, expect, it } from "vitest";
import { Loop } from "../index.ts";
import type { Callback } from "../types.ts";
import { URL_OF_API, play, rowsOf, tokenOf, code } from "./testing-callbacks.ts";

// Loaded in advance, so that loading takes no time.
beforeAll(() => Promise.all([import("./scopes/run-scope.ts"), import("./callback-step.ts")]));

describe("S6-016 step.callback", () => {
  it("S6-016 gives a URL to give away, and then the payload that came to it", async () => {
    const mailed: string[] = [];
    const harness = await play(async (step) => {
      const approval = await step.callback<{ by: string }>("approve", { timeout: "7 days" });
      await step.do("mail", () => void mailed.push(approval.url));
      return (await approval.payload()).by;
    });
    await harness.runUntilIdle();
    expect(mailed).toEqual([`${URL_OF_API}/callbacks/${await tokenOf("approve")}`]);
    expect(await rowsOf(harness)).toEqual(["mail do completed", "approve waitForEvent waiting"]);
    const token = mailed[0]?.split("/").at(-1) ?? "";
    await harness.engine.completeCallback(token, { by: "ada" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "ada" });
    await expect(harness.engine.completeCallback(token, { by: "bob" })).rejects.toEqual(
      code("CALLBACK_USED"),
    );
  });

  it("S6-016 is the same on every replay, in scopes, loops and for each use of a name", async () => {
    const seen: string[][] = [];
    const harness = await play(async (step) => {
      const tokens: string[] = [];
      seen.push(tokens);
      const note = ({ token }: Callback<unknown>): void => void tokens.push(token);
      note(await step.callback("a"));
      note(await step.callback("a"));
      const both = await step.join("j", {
        x: async (inner) => note(await inner.callback("a")),
        y: async (inner) => note(await inner.callback("a")),
      });
      await step.loop("l", {
        run: async (inner, _state, iteration) => {
          note(await inner.callback("a"));
          await inner.sleep("s", "1 hour");
          return iteration === 2 ? Loop.break(both) : Loop.continue(undefined);
        },
      });
      await step.sleep("end", "1 hour");
    });
    await harness.runThroughTime();
    const keys = ["a", "a#2", "j/x/a", "j/y/a", "l/~0/a", "l/~1/a", "l/~2/a"];
    const all = await Promise.all(keys.map((key) => tokenOf(key)));
    expect(seen.at(-1)).toEqual(all);
    for (const tokens of seen) expect(tokens).toEqual(all.slice(0, tokens.length));
    expect(seen.length).toBeGreaterThan(3);
  });

  it("S6-016 is told before anything else, live and on replay, whatever the signature takes", async () => {
    const orders: string[][] = [];
    const harness = await play(async (step) => {
      const order: string[] = [];
      orders.push(order);
      const told = (name: string) => (): void => void order.push(name);
      await Promise.all([
        step.do("b", () => 1).then(told("b")),
        step.callback("a").then(told("a")),
        step.sleep("c", 10).then(told("c")),
        step.callback("d").then(told("d")),
      ]);
      await step.sleep("later", "1 hour");
    });
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
    expect(orders.at(-1)).toEqual(["a", "d", "b", "c"]);
    for (const order of orders) expect(["a", "d", "b", "c"].slice(0, order.length)).toEqual(order);
  });

  it("S6-016 costs no row and no wait if nobody asks for the payload, and the URL takes one all the same", async () => {
    const harness = await play(async (step) => {
      await step.callback("a");
      await step.sleep("s", "1 hour");
    });
    await harness.runUntilIdle();
    await harness.engine.completeCallback(await tokenOf("a"), 1);
    await harness.runThroughTime();
    expect(await rowsOf(harness)).toEqual(["s sleep completed"]);
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
    await expect(harness.engine.completeCallback(await tokenOf("a"))).rejects.toEqual(
      code("CALLBACK_USED"),
    );
  });

  it("S6-016 payload() is one wait however often it is asked for, and no rejection is left alone", async () => {
    const harness = await play(async (step) => {
      const { payload } = await step.callback("a", { timeout: "1 minute" });
      void payload();
      const [one, two] = await Promise.allSettled([payload(), payload()]);
      return [one.status, two.status, one === two];
    });
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({
      output: ["rejected", "rejected", false],
    });
    expect(await rowsOf(harness)).toEqual(["a waitForEvent errored"]);
  });

  it("S6-016 times out as a wait does, from payload() on, and is late from then on", async () => {
    const harness = await play(async (step) => {
      const { payload } = await step.callback("a", { timeout: "1 minute" });
      await step.sleep("s", "1 hour");
      return payload().catch((error: { code: string }) => error.code);
    });
    await harness.runUntilIdle();
    await harness.clock.advance(3_600_000);
    await harness.runUntilIdle();
    expect((await harness.history("w", "x")).steps.at(-1)).toMatchObject({
      stepKey: "a",
      status: "waiting",
    });
    await harness.clock.advance(60_000);
    // No process has looked since.
    await expect(harness.engine.completeCallback(await tokenOf("a"))).rejects.toEqual(
      code("CALLBACK_LATE"),
    );
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ output: "EVENT_TIMEOUT" });
  });

  it("S6-016 of two at the same time one is taken", async () => {
    const harness = await play(async (step) => (await step.callback("a")).payload());
    await harness.runUntilIdle();
    const token = await tokenOf("a");
    const uses = Array.from({ length: 10 }, (_, index) =>
      harness.engine.completeCallback(token, index),
    );
    const ends = await Promise.allSettled(uses);
    const taken = ends.flatMap(({ status }, index) => (status === "fulfilled" ? [index] : []));
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ output: taken[0] });
    expect(taken).toHaveLength(1);
  });

  it("S6-016 a race that it loses closes it, and its token is late", async () => {
    const harness = await play(async (step) => {
      const { winner } = await step.race("r", {
        approved: async (inner) => (await inner.callback("a")).payload(),
        late: (inner) => inner.sleep("s", "1 hour"),
      });
      await step.sleep("after", "1 hour");
      return winner;
    });
    await harness.runUntilIdle();
    await harness.clock.advance(3_600_000);
    await harness.runUntilIdle();
    await expect(harness.engine.completeCallback(await tokenOf("r/approved/a"))).rejects.toEqual(
      code("CALLBACK_LATE"),
    );
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ output: "late" });
    expect(await rowsOf(harness)).toContain("r/approved/a waitForEvent cancelled");
  });

  it("S6-016 in a workflow of cached names a repeat is the same callback", async () => {
    const harness = await play(
      async (step) => {
        const one = await step.callback("a");
        const two = await step.callback("a");
        await one.payload();
        return [one.token === two.token, await two.payload()];
      },
      { repeatedNames: "cached" },
    );
    await harness.runUntilIdle();
    await harness.engine.completeCallback(await tokenOf("a"), 7);
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ output: [true, 7] });
  });

  it("S6-016 a loop that only makes callbacks is stopped", async () => {
    const harness = await play(async (step) => {
      for (;;) await step.callback("a");
    });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ error: { code: "RUN_SPINNING" } });
  });

  it.each([
    ["an option", { timeuot: 1 }, "UNKNOWN_OPTION"],
    ["a duration", { timeout: "soon" }, "INVALID_DURATION"],
    ["a timeout", { timeout: 1 }, "INVALID_DURATION"],
  ])("S6-016 %s that cannot be is refused by the call", async (_what, options, expected) => {
    const harness = await play((step) => step.callback("a", options as never));
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ error: { code: expected } });
  });

  it("S6-016 without the option it is refused, to author and caller, and nothing is signed with nothing", async () => {
    const harness = await play((step) => step.callback("a"), { callbacks: undefined });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ error: { code: "CALLBACK_DISABLED" } });
    await expect(harness.engine.completeCallback(await tokenOf("a"))).rejects.toEqual(
      code("CALLBACK_DISABLED"),
    );
  });

  it("S6-016 payload() after the end of its branch is refused", async () => {
    const harness = await play(async (step) => {
      let outside: Callback<unknown> | undefined;
      await step.join("j", {
        x: async (inner) => {
          outside = await inner.callback("a");
          await inner.do("b", () => 1);
        },
      });
      return outside?.payload().catch((error: { code: string }) => error.code);
    });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ output: "SCOPE_CLOSED" });
  });

  it("S6-016 nobody can send or wait for such an event by hand", async () => {
    const harness = await play((step) => step.waitForEvent("a", { type: "callback a" }));
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ error: { code: "INVALID_EVENT_TYPE" } });
    await expect(
      harness.engine.sendEvent("w", "x", { type: "callback a", payload: 1 }),
    ).rejects.toEqual(code("INVALID_EVENT_TYPE"));
    await expect(
      harness.engine.sendEvent("w", "x", { type: "b", eventId: "callback a" }),
    ).rejects.toEqual(code("INVALID_IDEMPOTENCY_KEY"));
  });
});
