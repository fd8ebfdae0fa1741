import { expect, test } from "vitest";
import { WorkflowError } from "../core/errors.ts";
import type { Commit } from "../core/model/change.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createCommits } from "./commits.ts";

const LEASE_MS = 40_000;

const COMMIT = {
  lease: { taskId: "t", token: "k", instanceRowId: "i" },
  run: { workflowName: "w", instanceId: "x", runNumber: 1 },
  changes: [],
  outcome: { kind: "continue" },
} as unknown as Commit;

test("a commit that finds no database is tried again while its lease may hold, and then given up", async () => {
  const time = createFakeTime();
  const startedAt = time.now();
  const triedAt: number[] = [];
  const events: string[] = [];
  const commit = createCommits({
    store: {
      ...createMemoryStore(),
      commit: () => {
        triedAt.push(time.now() - startedAt);
        return Promise.reject(new WorkflowError("STORE_UNAVAILABLE", "away"));
      },
    },
    host: time.host,
    logger: { log: (_level, event) => void events.push(event) },
    leaseMs: LEASE_MS,
  });
  let answer: unknown = null;
  void commit(COMMIT).then((result) => (answer = result));
  await time.advance(LEASE_MS / 2);
  expect([answer, triedAt.length > 2]).toEqual([null, true]);
  await time.advance(10 * LEASE_MS);
  expect(answer).toEqual({ kind: "conflict" });
  expect(Math.max(...triedAt)).toBeLessThan(LEASE_MS);
  expect(events.at(-1)).toBe("commit.failed");
});

test("a commit that finds no tables waits for a migration: what is done is not done again", async () => {
  const time = createFakeTime();
  let tries = 0;
  const commit = createCommits({
    store: {
      ...createMemoryStore(),
      commit: () => {
        tries += 1;
        return tries < 4
          ? Promise.reject(new WorkflowError("SCHEMA_MISMATCH", "the tables are missing"))
          : Promise.resolve([{ kind: "conflict" }]);
      },
    },
    host: time.host,
    logger: { log: () => undefined },
    leaseMs: LEASE_MS,
  });
  const answer = commit(COMMIT);
  await time.advance(LEASE_MS);
  await answer;
  expect(tries).toBe(4);
});
