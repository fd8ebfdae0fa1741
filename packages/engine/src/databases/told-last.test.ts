/**
 * What a branch adds or emits last without awaiting it, for each kind of scope: it is committed with the branch's end, once, at
 * whichever commit its process dies.
 */
import { ofToday } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defineTopic, defineWorkflow, Loop, type WorkflowStep } from "../index.ts";
import { createFaultStore, type Fault } from "../testing/fault-store.ts";
import { createHarness } from "../testing/harness.ts";
import { readStream } from "../testing/streams.ts";
import { LOCAL_STORES, openPostgresStore, type TimedStore } from "./testing-stores.ts";

/** Time advances by this much, more than a lease. */
const STEP_MS = 40_000;

const EMITTED = ["join", "race", "map", "loop-0", "loop-1", "loop-2", "try"] as const;

type Tell = (own: WorkflowStep, name: string) => void;

async function author(step: WorkflowStep, tell: Tell): Promise<void> {
  await step.join("join", {
    works: async (own) => {
      await own.do("work", () => 1);
      tell(own, "join");
    },
    only: (own) => void own.progress("join too"),
  });
  await step.race("race", {
    waits: (own) => own.sleep("long", "1 day"),
    wins: async (own) => {
      await own.do("work", () => 1);
      tell(own, "race");
    },
  });
  await step.map("map", [0, 1], (own, n) => (n === 0 ? tell(own, "map") : own.progress("map too")));
  await step.loop("loop", {
    commitEvery: 1,
    keep: 0,
    run: async (own, _, n) => {
      await own.do("work", () => 1);
      tell(own, `loop-${n}`);
      return n === 2 ? Loop.break() : Loop.continue(undefined);
    },
  });
  await step.try("try", async (own) => {
    await own.do("work", () => 1);
    tell(own, "try");
    throw new TypeError("it is a value");
  });
  await step.do("last", () => 1);
}

const TOLD = ["join too", "join", "race", "map", "map too", "loop-0", "loop-1", "loop-2", "try"];

const W = defineWorkflow({ name: "w" }, ({ instanceId }, step) =>
  author(step, (own, name) => {
    void own.progress(name);
    void own.emit(`${instanceId}-${name}`, name);
  }),
);

/** Receives what was emitted to each of several topics. */
const LISTENER = defineWorkflow({ name: "listener" }, async ({ payload }, step) => {
  const heard: unknown[] = [];
  for (const topic of payload as readonly string[])
    for (let since = 0; ;) {
      const wait = step.waitForTopic(topic, topic, { since, timeout: 1000 });
      const message = await wait.catch(() => null);
      if (message === null) break;
      heard.push(message.payload);
      since = message.timestamp.getTime() + 1;
    }
  return heard;
});

const FAULTS = ["kill before", "kill after", "twice"] as const;

const isKill = (fault: string): boolean => fault.startsWith("kill");

/** One in so many commits: a server takes time. With `ESCAPEMENT_RUNS`, each. */
const everyOn = (name: string): number =>
  name === "Postgres" && process.env["ESCAPEMENT_RUNS"] === undefined ? 4 : 1;

const [MEMORY, ...FILES] = LOCAL_STORES;
/** In memory, and on one of the databases each day. */
const STORES = [
  ...(MEMORY === undefined ? [] : [MEMORY]),
  ...ofToday([...FILES, ["Postgres", openPostgresStore] as const], 1),
];

describe.each(STORES)("what branches tell last on %s", (name, open) => {
  let timed: TimedStore;
  let plays = 0;
  beforeAll(async () => {
    timed = await open();
    // Loads the code that a run loads on first use.
    await play(null, 0);
  });
  afterAll(() => timed.teardown());

  /** Plays the run to its end, with a fault at one commit. @returns how many commits there were */
  async function play(fault: (typeof FAULTS)[number] | null, at: number): Promise<number> {
    const says = `${fault} ${at}`;
    plays += 1;
    const id = `x${plays}`;
    const names = EMITTED.map((topic) => `${id}-${topic}`);
    let commits = 0;
    let isListening = false;
    let die = (): void => {};
    const died = new Promise<void>((resolve) => (die = resolve));
    const store = createFaultStore(timed.store, ({ verb }): Fault => {
      if (verb !== "commit" || isListening || (commits += 1) !== at || fault === null)
        return "none";
      if (!isKill(fault)) return fault as Fault;
      harness.restart();
      die();
      return fault === "kill after" ? "none" : "before";
    });
    const topics = names.map((topic) => defineTopic({ name: topic }));
    const workflows = { W, LISTENER };
    const harness = createHarness({ workflows, topics, store: { ...timed, store } });
    const run = async (workflow: string, one: string): Promise<unknown> => {
      for (let round = 0; round < 40; round += 1) {
        const { status, output } = await harness.status(workflow, one);
        if (status === "complete") return output;
        await Promise.race(commits < at ? [harness.tick(), died] : [harness.tick()]);
        await harness.clock.advance(STEP_MS);
      }
      throw new Error(`${workflow} goes nowhere: ${says}`);
    };
    await harness.workflows.W.create({ id });
    await run("w", id);
    isListening = true;
    const told = (await readStream(harness.engine, id)).map(({ value }) => value);
    expect(told, says).toEqual(TOLD);
    await harness.workflows.LISTENER.create({ id: `${id}-listener`, params: names });
    expect(await run("listener", `${id}-listener`), says).toEqual(EMITTED);
    return commits;
  }

  it.each(FAULTS)(
    "S6-017 S6-015 each goes with its branch's end, once: %s",
    { timeout: 120_000 },
    async (fault) => {
      const commits = await play(null, 0);
      expect(commits).toBeGreaterThan(4);
      for (let at = 1; at <= commits; at += everyOn(name)) await play(fault, at);
    },
  );
});
