/** Programs that come to the same end whoever steers them on their way: each waits for events, time and children of its own. */
import {
  defineWorkflow,
  Loop,
  NonRetryableError,
  RollbackError,
  type WorkflowDefinition,
  type WorkflowStep,
} from "@escapement/engine";
import { define, failing, key } from "./bodies.ts";

const CHILD = defineWorkflow({ name: "child" }, async (event, step) => {
  await step.do("work", key);
  await step.sleep("nap", "5 minutes");
  if (event.payload === 13) throw new NonRetryableError("no");
  return Number(event.payload) * 10;
});

const CLEANED = defineWorkflow({ name: "cleaned" }, async (_event, step) => {
  try {
    await step.sleep("long", "300 days");
  } finally {
    await step.shielded.do("clean", key);
  }
});

/** It invokes itself, three deep. */
const SELF: WorkflowDefinition = defineWorkflow(
  { name: "self" },
  async (event, step): Promise<unknown> => {
    await step.do("work", key);
    const depth = Number(event.payload);
    return depth === 3 ? 1 : 1 + Number(await step.invoke(SELF, { params: depth + 1 }));
  },
);

export const STEERED_CHILDREN = { CHILD, CLEANED, SELF };

const loopBesideBranch = (step: WorkflowStep): Promise<unknown> =>
  step.join("j", {
    loop: (own) =>
      own.loop("l", {
        state: [] as readonly number[],
        keep: 1,
        commitEvery: 2,
        run: async (inner, taken, n) => {
          await inner.do("a", key);
          const { payload } = await inner.waitForEvent<number>("e", { type: "e" });
          const next = [...taken, payload + n];
          return n === 2 ? Loop.break(next) : Loop.continue(next);
        },
      }),
    beside: async (own) => {
      await own.sleep("nap", "10 minutes");
      return (await own.do("b", key)) !== "";
    },
  });

const racesOfChildren = async (step: WorkflowStep): Promise<unknown> => {
  const first = await step.race("r", {
    child: (own) => own.invoke(CLEANED, { onParentEnd: "terminate" }),
    quick: async (own) => {
      await own.do("before", key);
      await own.sleep("nap", "2 minutes");
      return step.version("v", 2);
    },
  });
  const second = await step.race("r", {
    child: (own) => own.invoke(CHILD, { params: 2 }),
    never: (own) => own.waitForEvent("never", { type: "never" }),
  });
  return [first.winner, first.value, second.winner, second.value];
};

const mapOfChildren = async (step: WorkflowStep): Promise<unknown> => {
  const ends = await step.map("m", [1, 13, 3], (own, params) => own.invoke(CHILD, { params }), {
    tolerate: 1,
    concurrency: 2,
  });
  return ends.map((end) => (end.ok ? end.value : end.kind));
};

const undoneInTry = async (step: WorkflowStep): Promise<unknown> => {
  const tried = await step.try("t", async (own) => {
    await own.do("one", { undo: (_result, context) => key(context) }, key);
    await own.sleep("nap", "1 minute");
    throw new RollbackError("off");
  });
  const retries = { limit: 2, delay: "1 minute" } as const;
  const after = await step.tryDo("after", { retries }, failing(1));
  const plain = await Promise.any([
    step.invoke(CHILD, { params: 13 }),
    step.sleep("calm", "1 hour").then(() => step.do("last", failing(0))),
  ]);
  return [tried.ok || tried.kind, after.ok, plain];
};

/** By what the title of its test says. */
export const STEERED_PROGRAMS: Readonly<Record<string, WorkflowDefinition>> = {
  "a loop over events beside a branch": define(loopBesideBranch),
  "races whose losers and winners are children": define(racesOfChildren),
  "a map of children, of which one may fail": define(mapOfChildren),
  "an undo in a try, and plain promises": define(undoneInTry),
  "a workflow that invokes itself": define((step) => step.invoke(SELF, { params: 0 })),
};
