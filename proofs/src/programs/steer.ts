/** Plays of a program that somebody steers at one of its commits, while its process lives or as it dies. */
import type { WorkflowDefinition } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import type { Store } from "../../../packages/engine/src/ports/store.ts";
import type { OpenPlayStore } from "../../../packages/engine/src/testing/crashes/play.ts";
import { createFakeTime } from "../../../packages/engine/src/testing/fake-time.ts";
import { STEERED_CHILDREN } from "./steered-programs.ts";

type Harness = ReturnType<typeof open>;

/** When the command comes, seen from the commit; in the first two the process dies with it. */
export const MOMENTS = ["dies before", "dies after", "before", "after"] as const;

export interface Steering {
  readonly command: keyof typeof COMMANDS;
  readonly moment: (typeof MOMENTS)[number];
  /** 1-based: the commit. */
  readonly at: number;
}

const middleOf = async ({ history }: Harness): Promise<string> => {
  const { steps } = await history("w", "x");
  return steps[Math.floor(steps.length / 2)]?.stepKey ?? "none";
};

export const COMMANDS = {
  nothing: async () => {},
  restart: async ({ engine }: Harness) => void (await engine.control("w", "x", "restart")),
  rewind: async (harness: Harness) =>
    void (await harness.engine.rewind("w", "x", await middleOf(harness))),
  fork: async (harness: Harness) =>
    void (await harness.engine.fork("w", "x", await middleOf(harness), { id: "copy" })),
  // Of a run that goes on or has ended well it is refused.
  retry: async ({ engine }: Harness) => void (await engine.control("w", "x", "retry")),
  "pause and resume": async ({ engine }: Harness) => {
    await engine.control("w", "x", "pause");
    await engine.control("w", "x", "resume");
  },
  "cancel and restart": async ({ engine }: Harness) => {
    await engine.control("w", "x", "cancel");
    await engine.control("w", "x", "restart");
  },
  "undo and restart": async ({ engine }: Harness) => {
    await engine.control("w", "x", "terminate", { rollback: true });
    await engine.control("w", "x", "restart");
  },
};

const open = (w: WorkflowDefinition, store: { store: Store; clock: Clock }) =>
  createHarness({ workflows: { W: w, ...STEERED_CHILDREN }, store });

type Clock = Awaited<ReturnType<OpenPlayStore>>["clock"];

/** A store that does something at one commit. `died` resolves once its process is dead. */
function steeredStore(store: Store, { moment, at }: Steering, act: () => Promise<void>) {
  let count = 0;
  let die = (_isDead: true): void => {};
  const died = new Promise<true>((resolve) => (die = resolve));
  const commit: Store["commit"] = async (list) => {
    count += 1;
    if (count !== at) return store.commit(list);
    if (moment === "before") await act();
    if (moment !== "dies before") {
      const result = await store.commit(list);
      if (moment === "after") await act();
      if (moment !== "dies after") return result;
    }
    die(true);
    return new Promise(() => {});
  };
  return { store: { ...store, commit }, died, commits: () => count };
}

const LIVE = ["queued", "running", "waiting", "paused"] as const;

/** @returns what the run and its fork come to, what is left open, and how many commits there were */
export async function steer(
  openStore: OpenPlayStore,
  workflow: WorkflowDefinition,
  steering: Steering,
) {
  const opened = await openStore(createFakeTime());
  const outside = open(workflow, opened);
  const act = (): Promise<void> => COMMANDS[steering.command](outside).catch(refused);
  const { store, died, commits } = steeredStore(opened.store, steering, act);
  const harness = open(workflow, { ...opened, store });
  await harness.workflows.W.create({ id: "x" });
  let isDead = false;
  for (let round = 0; round < 100; round += 1) {
    const ticked = harness.tick().then(() => false);
    if (!isDead && (await Promise.race([ticked, died]))) {
      isDead = true;
      harness.restart();
      await act();
    } else await ticked;
    await feed(harness);
    const wake = await harness.engine.nextWake();
    if (wake === null) break;
    await harness.clock.advance(Math.max(1, wake.inMs));
  }
  return { ends: await endsOf(harness), left: await leftOf(harness), commits: commits() };
}

/** @throws what is not the refusal of a command */
function refused(error: unknown): void {
  if (!(error instanceof Error && "code" in error)) throw error;
}

/** Sends each run the event that it waits for. */
async function feed({ engine, history }: Harness): Promise<void> {
  const { instances } = await engine.findInstances({ workflows: ["w"], pageSize: 100 });
  for (const { id } of instances) {
    const { steps } = await history("w", id);
    if (steps.some(({ name, status }) => name === "e" && status === "waiting"))
      await engine.sendEvent("w", id, { type: "e", payload: 7 });
  }
}

async function endsOf({ engine }: Harness): Promise<readonly unknown[]> {
  const { instances } = await engine.findInstances({ workflows: ["w"], pageSize: 100 });
  return instances.map(({ details: { status, output } }) => [status, output]);
}

async function leftOf({ engine }: Harness): Promise<readonly unknown[]> {
  const { instances } = await engine.findInstances({ status: LIVE, pageSize: 100 });
  return [
    ...instances.map(({ workflowName, id }) => `${workflowName} ${id}`),
    await engine.nextWake(),
  ];
}
