/** One session with a scripted database: what it commits, in which order, and how it ends. */
import { expect, test } from "vitest";
import { createRegistry } from "../authoring/registry.ts";
import { defineWorkflow, type WorkflowDefinition } from "../authoring/define-workflow.ts";
import { DEFAULT_LIMITS } from "../core/default-limits.ts";
import type { Commit } from "../core/model/change.ts";
import { toStepRecord } from "../core/model/step-record.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { CommitResult } from "../ports/commit.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime, FAKE_START } from "../testing/fake-time.ts";
import { openSleep, step } from "../testing/store-contract/builders.ts";
import type { Budget } from "./budget.ts";
import { unboundedBudget } from "./unbounded-budget.ts";
import { createLifecycle } from "./lifecycle.ts";
import { startSession } from "./run-workflow.ts";

const CLAIMED: ClaimedRun = {
  lease: { taskId: "task", token: "token", instanceRowId: "row" },
  run: { workflowName: "w", instanceId: "i", runNumber: 1 },
  keyNumber: 1,
  retryCount: 0,
  params: null,
  createdAt: 0,
  startedAt: 0,
  isFirst: true,
  settled: [],
  open: [],
  isWhole: true,
  events: [],
  hasMoreEvents: false,
  lostLeases: 0,
  pauseRequested: false,
  endRequested: null,
  parent: null,
};

const COMMITTED: Extract<CommitResult, { kind: "committed" }> = {
  kind: "committed",
  now: FAKE_START,
  pauseRequested: false,
  endRequested: null,
  paused: false,
  events: [],
  hasMoreEvents: false,
  dueAt: FAKE_START,
};

type Answer = (commit: Commit) => CommitResult | Promise<CommitResult>;

interface Setup {
  readonly author: Parameters<typeof defineWorkflow>[1];
  readonly answer?: Answer;
  readonly claimed?: Partial<ClaimedRun>;
  readonly budget?: Partial<Budget>;
}

/** Runs a workflow's function to the end of the session, or until nothing more happens. */
async function play({ author, answer, claimed, budget }: Setup) {
  const time = createFakeTime();
  const commits: Commit[] = [];
  let underWay = 0;
  const workflow: WorkflowDefinition = defineWorkflow({ name: "w" }, author);
  const session = startSession(
    {
      store: createMemoryStore(),
      host: time.host,
      logger: { log: () => undefined },
      lifecycle: createLifecycle({ logger: { log: () => undefined }, host: time.host }),
      limits: DEFAULT_LIMITS,
      leaseMs: 30_000,
      runnerId: null,
      runner: "test",
      namespace: "",
      bulk: null,
      redactError: null,
      retention: null,
      callbacks: null,
      registry: createRegistry({ W: workflow }, { env: {}, limits: DEFAULT_LIMITS }),
      topics: [],
      claimedNames: ["w"],
      workflows: {},
      commit: async (commit) => {
        commits.push(commit);
        underWay += 1;
        expect(underWay, "commits at once").toBe(1);
        const result = await (answer?.(commit) ?? COMMITTED);
        underWay -= 1;
        return result;
      },
      noteDue: () => undefined,
      reserveChild: () => null,
      stepTransactions: undefined,
    },
    { ...CLAIMED, ...claimed },
    {
      now: time.now(),
      budget: { ...unboundedBudget(time.host), ...budget },
      observedAtMs: time.host.elapsedMs(),
      leaseEndsAtMs: time.host.elapsedMs() + 30_000,
    },
  );
  let end: unknown = null;
  void session.milestones.ended.then((ended) => (end = ended));
  await time.advance(0);
  const told = commits.map(({ outcome, changes }) => [
    outcome.kind,
    ...changes.map((change) =>
      change.kind === "step" ? `${change.step.stepKey} ${change.step.status}` : change.kind,
    ),
  ]);
  return { told, end, commits };
}

const oneThenTwo: Setup["author"] = async (_event, step) => {
  await step.do("one", () => 1);
  await step.do("two", () => 2);
  return "both";
};

test("S3-017 S4-037 a result is committed before the next body, the last one with the end of the run", async () => {
  const { told, end, commits } = await play({ author: oneThenTwo });
  expect(told).toEqual([
    ["continue", "one completed"],
    ["complete", "two completed"],
  ]);
  expect(end).toMatchObject({ kind: "complete" });
  expect(commits.map(({ number }) => number)).toEqual([1, 2]);
});

test("S3-019 S4-038 author code that waits for nothing but time parks the run, in one commit with the wait", async () => {
  const { told, end } = await play({
    author: async (_event, step) => {
      await step.do("one", () => 1);
      await step.sleep("nap", "1 hour");
    },
  });
  expect(told).toEqual([["park", "one completed", "nap waiting"]]);
  expect(end).toMatchObject({ kind: "parked" });
});

test("S3-045 a replay writes nothing of what history has: neither a step that was done nor a wait that goes on", async () => {
  const at = { version: 0, createdAt: FAKE_START, now: FAKE_START };
  const one = toStepRecord(step("one").step, at);
  const nap = toStepRecord(openSleep("nap", { inMs: 3_600_000 }).step, at);
  const { told } = await play({
    author: async (_event, calls) => {
      await calls.do("one", () => 1);
      await calls.sleep("nap", "1 hour");
    },
    claimed: {
      settled: [{ ...one, status: "completed", settledOrder: 1, startedKeys: null }],
      open: [nap],
    },
  });
  expect(told).toEqual([["park"]]);
});

test("a commit that finds the lease lost ends the session: nothing begins, nothing more is written", async () => {
  const bodies: string[] = [];
  const { told, end } = await play({
    author: async (_event, step) => {
      await step.do("one", () => void bodies.push("one"));
      await step.do("two", () => void bodies.push("two"));
    },
    answer: () => ({ kind: "conflict" }),
  });
  expect(told).toHaveLength(1);
  expect(bodies).toEqual(["one"]);
  expect(end).toEqual({ kind: "lost" });
});

test("a pause that a commit tells of takes back the start that the commit recorded, and pauses", async () => {
  const { told } = await play({
    author: oneThenTwo,
    answer: ({ outcome }) => ({
      ...COMMITTED,
      pauseRequested: outcome.kind === "continue",
      paused: outcome.kind === "pause",
    }),
  });
  expect(told).toEqual([
    ["continue", "one completed"],
    ["pause", "two waiting"],
  ]);
});

test("a run that asks to be paused is paused before anything begins", async () => {
  const { told } = await play({ author: oneThenTwo, claimed: { pauseRequested: true } });
  expect(told).toEqual([["pause"]]);
});

test("without time for the next body the run is released with what it has done", async () => {
  let asked = 0;
  const { told, end } = await play({
    author: oneThenTwo,
    budget: { tryStartStep: () => (asked += 1) === 1 },
  });
  expect(told).toEqual([["release", "one completed"]]);
  expect(end).toMatchObject({ kind: "released" });
});

test("a commit that the database refuses fails the run, with the reason", async () => {
  const { told, end, commits } = await play({
    author: oneThenTwo,
    answer: ({ outcome }) =>
      outcome.kind === "continue"
        ? { kind: "failed", error: new RangeError("no such column") }
        : COMMITTED,
  });
  expect(told.map(([kind]) => kind)).toEqual(["continue", "fail"]);
  expect(commits[1]?.outcome).toMatchObject({ error: { code: "COMMIT_REFUSED" } });
  expect(end).toMatchObject({ kind: "errored" });
});
