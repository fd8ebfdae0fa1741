/** The workflows of a chaos run, in two versions of the code. */
import {
  defineWorkflow,
  type WorkflowContext,
  type WorkflowDefinition,
  WorkflowError,
} from "@escapement/engine";
import type { AppendToLedger } from "../ledger.ts";
import { createRandom } from "../random.ts";
import { generateProgram, runProgram } from "./generated-program.ts";
import { TracedStep } from "./traced-step.ts";

/** `b` has a step more than `a`, in the middle, as a deploy may bring it. */
export type CodeVersion = "a" | "b";

/** Events that an instance of `approvals` waits for, one after the other. */
export const APPROVALS = 4;

interface Running {
  readonly id: string;
  readonly payload: unknown;
  readonly context: WorkflowContext;
  readonly version: CodeVersion;
}

type Author = (step: TracedStep, running: Running) => Promise<unknown>;

const sequence: Author = async (step, { version }) => {
  await step.do("reserve");
  await step.do("price", { fails: "first" });
  if (version === "b") await step.do("audit", { limit: 0, isSeen: false });
  const charge = await step.do("charge", { limit: 0 });
  await step.do(charge === "value" ? "ship" : "refund", { limit: 3, fails: "first" });
  await step.do("archive", { limit: 0, fails: "always" });
  return step.do("thank");
};

const parallel: Author = async (step) => {
  const lanes = [0, 1, 2, 3].map(async (lane) => {
    await step.do(`pick ${lane}`, { limit: lane % 2 === 0 ? 3 : 0 });
    for (let turn = 0; turn < lane * 3; turn += 1) await Promise.resolve();
    await step.do(`pack ${lane}`, { fails: "first" });
  });
  await Promise.all(lanes);
  await step.sleep("dry", 150);
  return step.do("send");
};

const race: Author = async (step, { id }) => {
  const random = createRandom(`race ${id}`);
  const carrier = await Promise.race(
    ["north", "south"].map(async (name) => {
      await step.do(name, { limit: 0 });
      return name;
    }),
  );
  step.saw(`carrier ${carrier}`);
  await step.do(`book ${carrier}`);
  await step.sleep("night", random.pick([50, 400, 1500]));
  await step.do(`pay ${carrier}`, { limit: 0 });
  const end = await Promise.race([
    step.event("approval", "approve", "10 minutes").then(() => "approved"),
    step.sleep("patience", random.pick([200, 800])).then(() => "expired"),
  ]);
  step.saw(`end ${end}`);
  await step.sleep("later", 300);
  return step.do(end);
};

const approvals: Author = async (step) => {
  for (let index = 0; index < APPROVALS; index += 1) {
    await step.event(`approval ${index}`, "approve", "30 minutes");
    await step.do(`handle ${index}`, { limit: index % 2 === 0 ? 0 : 3 });
  }
  return "approved";
};

const loop: Author = async (step) => {
  for (let turn = 0; turn < 8; turn += 1) {
    await step.do(`poll ${turn}`, { fails: turn % 3 === 0 ? "first" : "never" });
    await step.sleep(`wait ${turn}`, 20 + turn * 10);
  }
  return "polled";
};

const parent: Author = async (step, { id, context }) => {
  await step.do("begin child", {
    limit: 50,
    effect: async () => {
      const params = { parentId: id };
      await context.workflows["CHILD"]?.create({ id: `${id}-child`, params, onExisting: "return" });
    },
  });
  await step.event("child ended", "child-ended", "30 minutes");
  return step.do("thank child");
};

const child: Author = async (step, { id, payload, context }) => {
  const { parentId } = payload as { readonly parentId: string };
  await step.do("work", { fails: "first" });
  return step.do("tell parent", {
    limit: 50,
    effect: async () => {
      const instance = await context.workflows["PARENT"]?.get(parentId);
      try {
        await instance?.sendEvent({ type: "child-ended", payload: id, eventId: id });
      } catch (error) {
        // It was told already, by an attempt of which nobody knows, and has ended.
        if (!(WorkflowError.is(error) && error.code === "INSTANCE_TERMINAL")) throw error;
      }
    },
  });
};

const generated: Author = async (step, { id }) => runProgram(step, generateProgram(id));

const AUTHORS = { sequence, parallel, race, approvals, loop, parent, child, generated };

/** Workflows by name. */
export type WorkflowName = keyof typeof AUTHORS;

/** Those that instances are made of from outside. */
export const STARTED: readonly WorkflowName[] = [
  "sequence",
  "parallel",
  "race",
  "approvals",
  "loop",
  "parent",
  "generated",
  "generated",
];

/** Registry for `createEngine`: keys in capitals. */
export function createWorkflows(
  append: AppendToLedger,
  version: CodeVersion,
): Readonly<Record<string, WorkflowDefinition>> {
  return Object.fromEntries(
    Object.entries(AUTHORS).map(([name, author]) => [
      name.toUpperCase(),
      defineWorkflow({ name }, async (event, step, context) => {
        const { instanceId: id, payload } = event;
        return author(new TracedStep(step, id, append), { id, payload, context, version });
      }),
    ]),
  );
}
