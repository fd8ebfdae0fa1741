/** Listeners: what they get, when, and that nothing they do has an effect. */
import { expect, it, vi } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import type { LifecycleEvent, LifecycleListeners } from "../ports/lifecycle.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createFaultStore } from "../testing/fault-store.ts";
import { createHarness } from "../testing/harness.ts";
import { hostEngine } from "./engine.ts";

type Told = readonly [LifecycleEvent, Readonly<Record<string, unknown>>];

const EVENTS: readonly LifecycleEvent[] = [
  "instanceCreated",
  "instanceStarted",
  "instanceParked",
  "instanceEnded",
  "runFailed",
  "runClaimed",
  "runLeft",
  "attemptStarted",
  "attemptFailed",
  "attemptSucceeded",
  "waitBegun",
  "waitEnded",
  "claimed",
  "tickBegun",
  "tickEnded",
];

/** Listens to everything. */
function listenToAll(): { readonly told: Told[]; readonly listeners: LifecycleListeners } {
  const told: Told[] = [];
  const entries = EVENTS.map((name) => [name, (event: never) => void told.push([name, event])]);
  return { told, listeners: Object.fromEntries(entries) as LifecycleListeners };
}

/** The code that delivers events is loaded with the first listener. */
const loaded = (): Promise<unknown> => import("../run/notify-listeners.ts");

/** Names with their step or end, without claims and ticks. */
const outline = (told: readonly Told[]): readonly string[] =>
  told
    .filter(([name]) => !/^(claimed|tick)/.test(name))
    .map(([name, { stepKey, status, end }]) =>
      `${name} ${[stepKey, status, end].find((word) => typeof word === "string") ?? ""}`.trim(),
    );

it("S8-015 S4-056 a run is told from its creation to its end, each attempt and each wait with it, and nothing twice on replay", async () => {
  let tries = 0;
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("flaky", { retries: { limit: 2, delay: "1 second" } }, () => {
      tries += 1;
      if (tries === 1) throw new RangeError("not yet");
      return "secret";
    });
    await step.sleep("nap", "1 minute");
    await step.waitForEvent("go", { type: "go" });
    return "secret";
  });
  const { told, listeners } = listenToAll();
  const harness = createHarness({ workflows: { W: w }, listeners });
  await loaded();
  await harness.workflows.W.create({ id: "x", params: { card: "secret" } });
  await harness.runUntilIdle();
  await harness.clock.advance(1000);
  await harness.runUntilIdle();
  harness.restart();
  await harness.clock.advance(75_000);
  await harness.runUntilIdle();
  await harness.sendEvent("w", "x", { type: "go", payload: "secret" });
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
  expect(outline(told)).toEqual([
    "instanceCreated",
    "runClaimed",
    "instanceStarted",
    "attemptStarted flaky",
    "attemptFailed flaky",
    "instanceParked",
    "runLeft parked",
    "runClaimed",
    "attemptStarted flaky",
    "attemptSucceeded flaky",
    "waitBegun nap",
    "instanceParked",
    "runLeft parked",
    "runClaimed",
    "waitEnded nap",
    "waitBegun go",
    "instanceParked",
    "runLeft parked",
    "runClaimed",
    "waitEnded go",
    "instanceEnded complete",
    "runLeft complete",
  ]);
  expect(JSON.stringify(told)).not.toContain("secret");
  const run = { workflowName: "w", instanceId: "x", runNumber: 1 };
  expect(find(told, "attemptFailed")).toMatchObject({
    ...run,
    attempt: 1,
    maxAttempts: 3,
    willRetryInMs: 1000,
    error: { name: "RangeError", message: "not yet" },
  });
  expect(find(told, "waitEnded")).toMatchObject({ ...run, type: "sleep", latenessMs: 15_000 });
});

const find = (told: readonly Told[], event: LifecycleEvent): unknown =>
  told.find(([name]) => name === event)?.[1];

const twoSteps = defineWorkflow({ name: "w" }, async (_event, step) => {
  await step.do("one", () => 1);
  await step.do("two", () => 2);
  return "done";
});

it("S8-015 a listener that throws, rejects, hangs, changes what it is told or answers a broken promise harms nobody", async () => {
  const told: string[] = [];
  const harness = createHarness({ workflows: { W: twoSteps } });
  await loaded();
  const { engine } = harness;
  engine.on("attemptSucceeded", () => {
    throw new TypeError("thrown");
  });
  engine.on("attemptStarted", () => Promise.reject(new TypeError("rejected")));
  engine.on("runClaimed", () => new Promise(() => {}));
  const promised = "THEN".toLowerCase();
  const notThen = {
    get: () => {
      throw new TypeError("no promise");
    },
  };
  engine.on("instanceStarted", () => Object.defineProperty({}, promised, notThen));
  const hostile = Object.defineProperty(new Error(), "message", {
    get: () => {
      throw new TypeError("no error either");
    },
  });
  engine.on("runLeft", () => Promise.reject(hostile));
  engine.on("instanceEnded", (event) => {
    Object.assign(event, { status: "mine" });
  });
  engine.on("instanceEnded", ({ status }) => void told.push(status));
  await harness.workflows.W.create({ id: "x" });
  await harness.workflows.W.create({ id: "y" });
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "done" });
  expect(told).toEqual(["complete", "complete"]);
  const failures = harness.log.filter(({ event }) => event === "listener.failed");
  expect(
    failures.map(({ fields }) => String(fields["listener"])).toSorted((a, b) => a.localeCompare(b)),
  ).toEqual(["attemptStarted", "attemptSucceeded", "instanceEnded", "instanceStarted", "runLeft"]);
  await harness.clock.advance(60_000);
  await harness.workflows.W.create({ id: "z" });
  await harness.runUntilIdle();
  const isOfSuccess = ({ event, fields }: { event: string; fields: object }): boolean =>
    event === "listener.failed" && "listener" in fields && fields.listener === "attemptSucceeded";
  expect(harness.log.filter(isOfSuccess).map(({ fields }) => fields)).toMatchObject([
    { error: { message: "thrown" } },
    { error: { message: "thrown" }, repeated: 3 },
  ]);
});

it("S8-015 what a commit did not make true is told by nobody, and what it did is told once though its answer was lost", async () => {
  const time = createFakeTime();
  const base = createMemoryStore({ now: time.now });
  let answersToLose = 1;
  const { told, listeners } = listenToAll();
  const store = createFaultStore(base, ({ verb }) => {
    if (verb !== "commit" || answersToLose === 0) return "none";
    answersToLose -= 1;
    return "after";
  });
  const options = { workflows: { W: twoSteps }, host: time.host, logger: { log: () => {} } };
  const engine = createEngine({ ...options, store, listeners });
  await loaded();
  await engine.workflows.W.create({ id: "x" });
  const ticking = engine.tick();
  await time.advance(10_000);
  await ticking;
  const succeeded = told.filter(([name]) => name === "attemptSucceeded");
  expect(succeeded.map(([, { stepKey }]) => stepKey)).toEqual(["one", "two"]);
  // Another process takes the run over while this one's commit is under way.
  const other = createEngine({ ...options, store: base });
  let isFrozen = false;
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("slow", () => new Promise((resolve) => host.setTimer(20_000, () => resolve(1))));
    return "done";
  });
  const { host } = time;
  const slow = {
    ...base,
    commit: async (...input: Parameters<typeof base.commit>) => {
      if (isFrozen) await new Promise<void>((resolve) => void host.setTimer(60_000, resolve));
      return base.commit(...input);
    },
  };
  const late = listenToAll();
  const frozen = createEngine({
    ...options,
    workflows: { W: w },
    store: slow,
    listeners: late.listeners,
  });
  await loaded();
  await frozen.workflows.W.create({ id: "y" });
  const frozenTick = frozen.tick();
  await time.advance(0);
  isFrozen = true;
  await time.advance(59_000);
  await other.tick();
  await time.advance(60_000);
  await frozenTick;
  expect(outline(late.told).filter((line) => !line.startsWith("instanceC"))).toEqual([
    "runClaimed",
    "instanceStarted",
    "attemptStarted slow",
    "runLeft lost",
  ]);
});

it("S8-015 nothing is made to be told while nobody listens, and what is not an event is refused", async () => {
  const time = createFakeTime();
  const store = createMemoryStore({ now: time.now });
  const options = { workflows: { W: twoSteps }, store, host: time.host };
  const { engine, parts } = hostEngine(options);
  const { lifecycle } = parts.context;
  expect(lifecycle.tell).toBeNull();
  const ended = vi.fn<() => void>();
  const stop = engine.on("instanceEnded", ended);
  const stopToo = engine.on("instanceEnded", ended);
  expect(lifecycle.tell).not.toBeNull();
  stop();
  await loaded();
  await engine.workflows.W.create({ id: "x" });
  await engine.tick();
  expect(ended).toHaveBeenCalledTimes(1);
  stopToo();
  expect(lifecycle.tell).toBeNull();
  await engine.workflows.W.create({ id: "y" });
  await engine.tick();
  expect(ended).toHaveBeenCalledTimes(1);
  const misspelt = { instanceEnd: ended } as object;
  expect(() => createEngine({ ...options, listeners: misspelt })).toThrow(
    expect.objectContaining({ code: "UNKNOWN_OPTION" }),
  );
  expect(() => engine.on("instanceEnd" as "instanceEnded", ended)).toThrow(
    expect.objectContaining({ code: "UNKNOWN_OPTION" }),
  );
  expect(() => engine.on("instanceEnded", 1 as never)).toThrow(
    expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
  );
});

it("S8-015 what comes about before the code that tells is loaded is told in its order, and ends, failures and ticks with what they are of", async () => {
  const w = defineWorkflow({ name: "w", runRetries: { limit: 1, delay: 0 } }, () => {
    throw new RangeError("it fails");
  });
  const parent = defineWorkflow({ name: "parent" }, (_event, step) =>
    step.invoke(child, { id: "c" }),
  );
  const child = defineWorkflow({ name: "child" }, () => Promise.resolve("grown"));
  const { told, listeners } = listenToAll();
  const workflows = { W: w, PARENT: parent, CHILD: child };
  const harness = createHarness({ workflows, listeners });
  await harness.workflows.W.create({ id: "x" });
  await loaded();
  await harness.runUntilIdle();
  expect(told[0]?.[0]).toBe("instanceCreated");
  expect(find(told, "runFailed")).toMatchObject({ retryCount: 0, runNumber: 1 });
  expect(find(told, "instanceEnded")).toMatchObject({
    runNumber: 2,
    status: "errored",
    error: { name: "RangeError", message: "it fails" },
    durationMs: 0,
  });
  expect(find(told, "tickEnded")).toMatchObject({ failed: false, moreDue: false });
  expect(told.filter(([name]) => name === "claimed").length).toBeGreaterThan(1);
  told.splice(0);
  await harness.workflows.PARENT.create({ id: "p" });
  await harness.runUntilIdle();
  const created = told.filter(([name]) => name === "instanceCreated");
  expect(created.map(([, { instanceId }]) => instanceId)).toEqual(["p", "c"]);
  const waits = told.filter(([name]) => name.startsWith("wait"));
  expect(waits.map(([name, { type }]) => [name, type])).toEqual([
    ["waitBegun", "invoke"],
    ["waitEnded", "invoke"],
  ]);
  told.splice(0);
  const sleeper = await harness.workflows.PARENT.create({ id: "q" });
  await sleeper.terminate();
  expect(outline(told)).toEqual(["instanceCreated", "instanceEnded terminated"]);
});
