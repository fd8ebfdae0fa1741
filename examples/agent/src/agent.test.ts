import { readFileSync } from "node:fs";
import { createHarness, type Harness } from "@escapement/engine/testing";
import { beforeEach, expect, it } from "vitest";
import { agent } from "./agent.ts";
import { pace } from "./model.ts";
import { refunds } from "./tools.ts";

const workflows = { AGENT: agent };
type AgentHarness = Harness<typeof workflows>;

beforeEach(() => refunds.clear());

async function start(): Promise<AgentHarness> {
  const harness = createHarness({
    workflows,
    callbacks: { signingKeys: ["a-key-of-this-test-and-no-other-one"], url: "http://a.test" },
  });
  await harness.workflows.AGENT.create({ id: "a", params: { question: "Charged twice?" } });
  return harness;
}

/** What it has told so far. */
async function told(harness: AgentHarness): Promise<readonly Record<string, unknown>[]> {
  const { entries } = await harness.engine.readProgress("agent", "a", { limit: 1000 });
  return entries.map(({ value }) => value as Record<string, unknown>);
}

async function decide(harness: AgentHarness, approved: boolean): Promise<void> {
  const url = (await told(harness)).find((value) => "asks" in value)?.["url"];
  await harness.engine.completeCallback(String(url).split("/").at(-1) ?? "", { approved });
  await harness.runUntilIdle();
}

const words = (values: readonly Record<string, unknown>[]): string =>
  values.flatMap(({ word }) => (typeof word === "string" ? [word] : [])).join("");

it("an agent that is allowed to pays back once, and has told every word that it wrote", async () => {
  const harness = await start();
  await harness.runUntilIdle();
  expect(refunds.size).toBe(0);
  expect((await told(harness)).at(-1)).toMatchObject({ asks: "refund 1042" });
  await decide(harness, true);
  const output = "I am done: 42.00 EUR of order 1042 were paid back.";
  expect(await harness.status("agent", "a")).toMatchObject({ status: "complete", output });
  expect(words(await told(harness))).toBe(
    `Let me look at order 1042 first. It was charged twice, so I would pay one charge back. ${output} `,
  );
  expect([...refunds.values()]).toEqual(["1042"]);
});

it("an agent that is not allowed to pays nothing back", async () => {
  const harness = await start();
  await harness.runUntilIdle();
  await decide(harness, false);
  const output = "I am done: nothing was paid back: a colleague said no.";
  expect(await harness.status("agent", "a")).toMatchObject({ status: "complete", output });
  expect(refunds.size).toBe(0);
});

it("an agent whose process dies while it waits for the answer goes on from there, and asks and pays once", async () => {
  const harness = await start();
  await harness.runUntilIdle();
  const before = await told(harness);
  harness.restart();
  await harness.runThroughTime(60_000);
  expect(await told(harness)).toEqual(before);
  await decide(harness, true);
  expect(await harness.status("agent", "a")).toMatchObject({ status: "complete" });
  expect(refunds.size).toBe(1);
});

it("an agent whose process dies in the middle of a turn takes the turn again, as another attempt", async () => {
  const harness = await start();
  let words = 0;
  pace.wait = () => ((words += 1) > 3 ? new Promise(() => undefined) : Promise.resolve());
  void harness.tick();
  await harness.clock.advance(1000);
  harness.restart();
  pace.wait = async () => undefined;
  await harness.runThroughTime(60_000);
  await decide(harness, true);
  expect(await harness.status("agent", "a")).toMatchObject({ status: "complete" });
  const { entries } = await harness.engine.readProgress("agent", "a", { limit: 1000 });
  const first = entries.filter(({ step }) => step === entries[0]?.step);
  const texts = [1, 2].map((attempt) =>
    first.flatMap((entry) => (entry.attempt === attempt ? [entry.value] : [])),
  );
  expect(texts).toEqual([
    ["Let ", "me ", "look "].map((word) => ({ word })),
    "Let me look at order 1042 first.".split(" ").map((word) => ({ word: `${word} ` })),
  ]);
});

it("the guide shows exactly this workflow", () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
  expect(read("../../../docs/guides/agent.md")).toContain(read("./agent.ts").trim());
});
