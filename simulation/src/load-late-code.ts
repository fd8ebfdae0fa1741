/** Code that the engine loads when it is first asked for is loaded before: the scheduler would not know that it comes. */
import { defineTopic, defineWorkflow, type Engine, Loop, RollbackError } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import { signAtOnce } from "./world/signing.ts";

const news = defineTopic({ name: "news" });

let isLoaded = false;

/** Options whose code comes late. */
const ALSO_LATE = { listeners: { runLeft: () => undefined }, retention: "1 day" } as const;

export async function loadLateCode(): Promise<void> {
  if (isLoaded) return;
  isLoaded = true;
  signAtOnce();
  const callbacks = {
    signingKeys: ["a-secret-of-the-caller-that-nobody-else-has"],
    url: "https://simulation.example/api",
  };
  const workflows = defineWorkflows();
  const harness = createHarness({ workflows, callbacks, topics: [news], ...ALSO_LATE });
  await harness.workflows.LISTENER.create();
  await harness.workflows.CALLER.create();
  await harness.workflows.LEAVER.create();
  await harness.workflows.LOOPER.create();
  await harness.workflows.FAILING.create();
  await harness.workflows.CHANGED.create();
  await harness.workflows.CALLER.create({ id: "late", deadline: 1 });
  const cancelled = await harness.workflows.CALLER.create();
  await cancelled.cancel();
  await harness.runUntilIdle();
  const { engine } = harness;
  await engine.emit(news);
  await harness.runUntilIdle();
  await harness.workflows.SPEAKER.create();
  await callInVain(engine);
  await engine.restartOrCreate("caller", { id: "again" });
  await harness.runUntilIdle();
  // For the second life of what sleeps.
  await harness.clock.advance(60_000);
  await harness.runUntilIdle();
}

/** Workflows that call what few call. */
function defineWorkflows() {
  const callee = defineWorkflow({ name: "callee" }, async () => "done");
  const caller = defineWorkflow({ name: "caller" }, async (_event, step) => {
    await step.try("all", async (own) => own.callback("link"));
    await step.sleepUntil("past", 0);
    await step.do("undoable", { undo: () => {} }, () => null);
    await step.tryDo("fails", { retries: { limit: 0 } }, () => {
      throw new RangeError("it fails");
    });
    await step.invoke(callee);
    await step.race("first", {
      batch: (own) => own.receive("batch", { types: ["none"] }),
      body: (own) => own.do("body", () => null),
    });
    throw new RollbackError();
  });
  const listener = defineWorkflow({ name: "listener" }, async (_event, step) => {
    await step.waitForTopic("first", news);
    await step.waitForTopic("second", news);
  });
  const speaker = defineWorkflow({ name: "speaker" }, async (_event, step) => {
    await step.emit(news);
    await step.progress("said");
    await step.do("tells", (ctx) => ctx.progress("told"));
    await step.tryWaitForEvent("never", { type: "none", timeout: "1 second" });
  });
  const looper = defineWorkflow({ name: "looper" }, async (_event, step) => {
    await step.loop("turns", {
      state: 0,
      commitEvery: 1,
      run: async (own, turn) => {
        await own.sleep("pause", "1 second");
        return turn === 0 ? Loop.continue(1) : Loop.break(turn);
      },
    });
  });
  const leaver = defineWorkflow({ name: "leaver" }, async (_event, step) => {
    void step.sleep("left open", "1 day");
  });
  let replays = 0;
  const changed = defineWorkflow({ name: "changed" }, async (_event, step) => {
    replays += 1;
    await step.sleep(replays === 1 ? "before" : "after", "1 minute");
  });
  const failing = defineWorkflow({ name: "failing", runRetries: { limit: 1, delay: 0 } }, () => {
    throw new RangeError("it fails");
  });
  return {
    CALLER: caller,
    CALLEE: callee,
    LISTENER: listener,
    SPEAKER: speaker,
    LEAVER: leaver,
    LOOPER: looper,
    CHANGED: changed,
    FAILING: failing,
  };
}

/** Each verb loads its code before it finds that there is nothing of that name. */
async function callInVain(engine: Engine): Promise<void> {
  const refused = [
    engine.verifyCallback("none"),
    engine.rewind("caller", "none", "none"),
    engine.fork("caller", "none", "none"),
    engine.getReply("caller", "none", "none"),
    engine.readProgress("caller", "none"),
    engine.describeInstance("caller", "none"),
    engine.explainInstance("caller", "none"),
    engine.control("caller", "none", "retry"),
    engine.deleteInstance("caller", "none"),
    engine.export("caller", "none")[Symbol.asyncIterator]().next(),
    engine.import([]),
    engine.listBulks(),
    engine.countInstances(),
    engine.findInstances(),
    engine.measureActivity(),
    engine.listLeases(),
    engine.listCallbacks(),
    engine.update("caller", "late", { deadline: null }),
  ];
  await Promise.allSettled(refused);
}
