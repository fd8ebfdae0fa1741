/** What the operations are done with whose trips are counted. */
import {
  defineTopic,
  defineWorkflow,
  Loop,
  RollbackError,
  type WorkflowStep,
} from "@escapement/engine";

export const range = (length: number): readonly number[] =>
  Array.from({ length }, (_item, index) => index);

/** Params: how many steps, one after another, before it waits or ends. */
const steps = defineWorkflow({ name: "steps" }, async (event, step) => {
  const { count, waits = false } = event.payload as { count: number; waits?: boolean };
  let sum = 0;
  for (const index of range(count)) sum += await step.do(`step-${index}`, () => index);
  if (waits) await step.waitForEvent("more", { type: "more" });
  return sum;
});

const fan = defineWorkflow({ name: "fan" }, async (_event, step) => {
  const done = await Promise.all(range(50).map((index) => step.do(`part-${index}`, () => index)));
  return done.length;
});

const waiting = defineWorkflow({ name: "waiting" }, async (_event, step) => {
  await step.do("first", () => "x".repeat(100));
  return (await step.waitForEvent("go", { type: "go" })).payload;
});

/** Three steps, one after another. */
const three = async (step: WorkflowStep): Promise<number> => {
  let sum = 0;
  for (const index of range(3)) sum += await step.do(`part-${index}`, () => index);
  return sum;
};

/** The same with what code has that has changed since. */
async function changed(step: WorkflowStep): Promise<number> {
  step.removed("old", "do");
  const version = step.version("how", 2);
  const sum = await three(step);
  return version + sum + step.version("then", 3);
}

/** The same, all of it undone. */
async function undone(step: WorkflowStep): Promise<never> {
  for (const index of range(3)) await step.do(`part-${index}`, { undo: () => null }, () => index);
  throw new RollbackError();
}

/** Params: which scopes. */
const scopes = defineWorkflow({ name: "scopes" }, (event, step): Promise<unknown> => {
  switch (event.payload) {
    case "join of 3":
      return step.join("join", { a: three, b: three, c: three });
    case "map of 100":
      return step.map("map", range(100), three);
    case "race and try":
      return step.try("try", (own) =>
        own.race("race", { a: three, b: (other) => other.sleep("z", "1 day") }),
      );
    case "versions":
      return changed(step);
    case "rollback":
      return undone(step);
    case "progress":
      return telling(step);
    default:
      return step.loop("loop", {
        state: 0,
        commitEvery: 1,
        keep: 1,
        run: async (own, state, iteration) => {
          const next = state + (await own.do("part", () => iteration));
          return iteration === 9 ? Loop.break(next) : Loop.continue(next);
        },
      });
  }
});

/** Tells between its steps and in their bodies, and last without awaiting it. */
async function telling(step: WorkflowStep): Promise<void> {
  for (const part of range(3)) {
    await step.progress(part);
    await step.do(`part ${part}`, async ({ progress }) => {
      for (const entry of range(20)) await progress(entry);
    });
  }
  void step.progress("done");
}

const failing = defineWorkflow({ name: "failing" }, (_event, step) =>
  step.join("all", { a: (s) => s.do("fail", { retries: { limit: 0, delay: 0 } }, fail) }),
);

const fail = (): never => {
  throw new RangeError("always");
};

const child = defineWorkflow({ name: "child" }, async () => "grown");

const parent = defineWorkflow({ name: "parent" }, (_event, step) => step.invoke(child));

export const news = defineTopic({ name: "news" });
export const topics = [news];

const listening = defineWorkflow(
  { name: "listening" },
  async (_event, step) => (await step.waitForTopic("news", news)).payload,
);

export const workflows = {
  LISTENING: listening,
  CHILD: child,
  PARENT: parent,
  FAILING: failing,
  STEPS: steps,
  FAN: fan,
  WAITING: waiting,
  SCOPES: scopes,
};
