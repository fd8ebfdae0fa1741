/** A fault in the engine itself, or in a custom store, costs one session, and neither its process nor its run. */
import { describe, expect, it } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import type { Commit } from "../core/model/change.ts";
import type { CommitResult } from "../ports/commit.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { FAKE_START } from "../testing/fake-time.ts";
import { createHarness } from "../testing/harness.ts";

const LEASE_MS = 30_000;

/** A memory store that answers the first commit of instance `x` with this outcome in an impossible way. */
function openBadStore(outcome: Commit["outcome"]["kind"]) {
  let now = FAKE_START;
  let isBroken = false;
  const store = createMemoryStore({ now: () => now });
  const spoil = (commit: Commit | undefined, result: CommitResult): CommitResult => {
    if (isBroken || commit?.run.instanceId !== "x" || commit.outcome.kind !== outcome)
      return result;
    isBroken = true;
    return undefined as unknown as CommitResult;
  };
  const commit: Store["commit"] = async (commits) =>
    (await store.commit(commits)).map((result, index) => spoil(commits[index], result));
  const clock = { now: () => now, advance: (ms: number) => void (now += ms) };
  return { store: { ...store, commit }, clock };
}

const work = defineWorkflow({ name: "work" }, async (_event, step) => {
  await step.do("a", () => 1);
  return step.do("b", () => 2);
});

describe("a fault that nobody foresaw", () => {
  it.each(["continue", "complete"] as const)(
    "ends its session alone, is told to the log, and leaves the run to its lease: at %s",
    async (outcome) => {
      const harness = createHarness({ workflows: { WORK: work }, store: openBadStore(outcome) });
      await harness.workflows.WORK.create({ id: "x" });
      await harness.workflows.WORK.create({ id: "y" });
      await harness.runUntilIdle();
      expect(await harness.status("work", "y")).toMatchObject({ status: "complete", output: 2 });
      await harness.clock.advance(LEASE_MS);
      await harness.runUntilIdle();
      expect(await harness.status("work", "x")).toMatchObject({ status: "complete", output: 2 });
      expect(harness.log).toContainEqual(
        expect.objectContaining({ level: "error", event: "run.broken" }),
      );
    },
  );
});

it.each<[string, Logger["log"]]>([
  [
    "throws",
    () => {
      throw new RangeError("the disk is full");
    },
  ],
  ["rejects", async () => Promise.reject(new RangeError("the disk is full"))],
])("a logger that %s costs no run: what it was told is lost, and nothing else", async (_, log) => {
  const broken = defineWorkflow({ name: "broken" }, (_event, step) =>
    step.do("a", { retries: { limit: 0, delay: 0 } }, () => {
      throw new TypeError("not today");
    }),
  );
  const workflows = { BROKEN: broken, WORK: work };
  const engine = createEngine({ workflows, store: createMemoryStore(), logger: { log } });
  const ended = await engine.workflows.BROKEN.create({ id: "x" });
  const other = await engine.workflows.WORK.create({ id: "y" });
  while ((await engine.tick()).processed > 0);
  expect(await ended.status()).toMatchObject({ status: "errored" });
  expect(await other.status()).toMatchObject({ status: "complete" });
});
