/** `event.reply` in a run: once, durable, and not again on a replay. */
import { beforeAll, describe, expect, it } from "vitest";
import {
  defineWorkflow,
  Loop,
  type ReceivedEvent,
  WorkflowError,
  type WorkflowStep,
} from "../index.ts";
import { createHarness } from "../testing/harness.ts";

// Loaded in advance, so that loading takes no time.
beforeAll(() => Promise.all([import("./scopes/run-scope.ts"), import("./receive-step.ts")]));

const codeOf = (error: unknown): string => (WorkflowError.is(error) ? error.code : String(error));

async function play(author: (step: WorkflowStep) => unknown) {
  const W = defineWorkflow({ name: "w" }, async (_event, step) => author(step));
  const harness = createHarness({ workflows: { W } });
  await harness.workflows.W.create({ id: "x" });
  const send = async (eventId: string, payload?: unknown, type = "ask"): Promise<void> =>
    void (await harness.engine.sendEvent("w", "x", { type, payload, eventId }));
  const reply = (eventId: string): Promise<unknown> =>
    harness.engine.getReply("w", "x", eventId).catch(codeOf);
  const rows = async (): Promise<readonly string[]> =>
    (await harness.history("w", "x")).steps.map(({ stepKey, type }) => `${stepKey} ${type}`);
  return { harness, send, reply, rows, status: () => harness.status("w", "x") };
}

describe("S6-014 event.reply", () => {
  it("S6-014 answers the event of a wait, in the commit that is due anyway", async () => {
    const run = await play(async (step) => {
      const event = await step.waitForEvent<number>("in", { type: "ask" });
      event.reply({ doubled: event.payload * 2 });
      await step.waitForEvent("more", { type: "more" });
    });
    await run.send("q", 21);
    expect(await run.reply("q")).toEqual({ answered: false });
    await run.harness.runUntilIdle();
    expect(await run.reply("q")).toEqual({ answered: true, reply: { doubled: 42 } });
    expect(await run.rows()).toEqual(["in waitForEvent", "in/reply reply", "more waitForEvent"]);
  });

  it("S6-014 answers each event of a batch, in any order and at any later point", async () => {
    const run = await play(async (step) => {
      const events = await step.receive<number>("in", { types: ["ask"] });
      await step.sleep("think", "1 day");
      for (const event of events.toReversed()) event.reply(event.payload);
    });
    for (const n of [1, 2, 3]) await run.send(`q${n}`, n);
    await run.harness.runUntilIdle();
    expect(await run.reply("q1")).toEqual({ answered: false });
    await run.harness.runThroughTime();
    for (const n of [1, 2, 3])
      expect(await run.reply(`q${n}`)).toEqual({ answered: true, reply: n });
    expect(await run.rows()).toContain("in/reply#2 reply");
    expect(await run.status()).toMatchObject({ status: "complete" });
  });

  it("S6-014 keeps what a step would keep, undefined too", async () => {
    const values = [undefined, null, 0, "", new Date(7), 10n ** 30n, new Map([[1, { a: [2] }]])];
    const run = await play(async (step) => {
      for (const event of await step.receive<number>("in", { types: ["ask"] }))
        event.reply(values[event.payload]);
    });
    for (const index of values.keys()) await run.send(`q${index}`, index);
    await run.harness.runThroughTime();
    for (const [index, reply] of values.entries())
      expect(await run.reply(`q${index}`)).toEqual({ answered: true, reply });
  });

  it("S6-014 is written once, however often it is replayed, and is no divergence", async () => {
    const replies: number[] = [];
    const run = await play(async (step) => {
      for (let round = 0; round < 3; round += 1) {
        const event = await step.waitForEvent<number>("in", { type: "ask", timeout: "9 days" });
        replies.push(event.payload);
        // Not the reply of a run without a replay.
        event.reply(`${event.payload} at call ${replies.length}`);
        await step.sleep("rest", "1 day");
      }
    });
    const twoDaysMs = 2 * 86_400_000;
    for (const n of [1, 2, 3]) {
      await run.send(`q${n}`, n);
      await run.harness.runThroughTime(twoDaysMs);
      run.harness.restart();
    }
    expect(await run.status()).toMatchObject({ status: "complete" });
    expect(await run.reply("q1")).toEqual({ answered: true, reply: "1 at call 1" });
    expect(replies.length).toBeGreaterThan(3);
    expect(run.harness.log.filter(({ event }) => event === "history.diverged")).toEqual([]);
    expect((await run.rows()).filter((row) => row.endsWith(" reply"))).toHaveLength(3);
  });

  it("S6-014 a second one is refused, also after a replay, and the first stays", async () => {
    const run = await play(async (step) => {
      const event = await step.waitForEvent("in", { type: "ask" });
      event.reply("first");
      await step.sleep("replay", "1 day");
      try {
        event.reply("second");
      } catch (error) {
        return codeOf(error);
      }
      return "taken";
    });
    await run.send("q");
    await run.harness.runThroughTime();
    expect(await run.status()).toMatchObject({ output: "EVENT_ALREADY_ANSWERED" });
    expect(await run.reply("q")).toEqual({ answered: true, reply: "first" });
  });

  it.each([
    ["NOT_SERIALIZABLE", () => 1],
    ["PAYLOAD_TOO_LARGE", "x".repeat(1_048_577)],
  ])("S6-014 refuses with %s what cannot be kept, and can be called again", async (code, value) => {
    const run = await play(async (step) => {
      const event = await step.waitForEvent("in", { type: "ask" });
      try {
        event.reply(value);
      } catch (error) {
        event.reply(codeOf(error));
      }
    });
    await run.send("q");
    await run.harness.runThroughTime();
    expect(await run.reply("q")).toEqual({ answered: true, reply: code });
  });

  it("S6-014 comes before a body that takes long, and beside one that runs", async () => {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const run = await play(async (step) => {
      const [first, second] = await step.receive("in", { types: ["ask"], min: 2 });
      first?.reply(1);
      const long = step.do("long", () => ended);
      await step.waitForEvent("go", { type: "go" });
      second?.reply(2);
      await long;
    });
    await run.send("q1");
    await run.send("q2");
    const ticking = run.harness.tick();
    await run.harness.clock.advance(0);
    expect(await run.reply("q1")).toEqual({ answered: true, reply: 1 });
    await run.send("g", null, "go");
    await run.harness.clock.advance(60_000);
    expect(await run.reply("q2")).toEqual({ answered: true, reply: 2 });
    end();
    await ticking;
    await run.harness.runThroughTime();
    expect(await run.status()).toMatchObject({ status: "complete" });
  });

  it("S6-014 beside a body that runs is there at once, before any time has passed", async () => {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const run = await play(async (step) => {
      const event = await step.waitForEvent("in", { type: "ask" });
      const long = step.do("long", () => ended);
      event.reply(await step.do("quick", () => 1));
      await long;
    });
    await run.send("q");
    const ticking = run.harness.tick();
    await run.harness.clock.advance(0);
    expect(await run.reply("q")).toEqual({ answered: true, reply: 1 });
    end();
    await ticking;
  });

  it("S6-014 is not on what is made of the event, which may be returned and kept", async () => {
    const run = await play(async (step) => {
      const event = await step.waitForEvent("in", { type: "ask" });
      await step.do("keep", () => event);
      return event;
    });
    await run.send("q", 1);
    await run.harness.runThroughTime();
    expect(await run.status()).toMatchObject({
      status: "complete",
      output: { type: "ask", payload: 1, eventId: "q" },
    });
    expect(await run.reply("q")).toBe("EVENT_NOT_ANSWERED");
  });

  it("S6-014 is asked of a run for ever by a loop that forgets", async () => {
    const run = await play((step) =>
      step.loop("serve", {
        commitEvery: 2,
        run: async (s) => {
          const events: ReceivedEvent<number>[] = await s.receive("in", { types: ["ask", "end"] });
          for (const event of events) event.reply(event.payload + 1);
          return events.at(-1)?.type === "end" ? Loop.break() : Loop.continue();
        },
      }),
    );
    for (let n = 0; n < 30; n += 1) {
      await run.send(`q${n}`, n);
      await run.harness.runUntilIdle();
    }
    for (let n = 0; n < 30; n += 1)
      expect(await run.reply(`q${n}`)).toEqual({ answered: true, reply: n + 1 });
    await run.send("last", 0, "end");
    await run.harness.runThroughTime();
    expect(await run.status()).toMatchObject({ status: "complete" });
    expect((await run.rows()).length).toBeLessThan(10);
  });

  it("S6-014 counts among the steps that a run may have", async () => {
    const W = defineWorkflow({ name: "w" }, async (_event, step) => {
      for (const event of await step.receive("in", { types: ["ask"] })) event.reply();
    });
    const harness = createHarness({ workflows: { W }, limits: { maxStepsPerRun: 2 } });
    const instance = await harness.workflows.W.create({ id: "x" });
    for (let n = 0; n < 2; n += 1) await instance.sendEvent({ type: "ask" });
    await harness.runThroughTime();
    expect(await instance.status()).toMatchObject({ error: { code: "RUN_STEP_LIMIT" } });
  });
});
