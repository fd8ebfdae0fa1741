import { expect, test } from "vitest";
import { ReplayPool } from "./replay-pool.ts";
import type { ReplayRun } from "./replay-run.ts";

const REFUSED = new RangeError("refused");

/** A pool, and the replays that it has created. */
function createPool() {
  const made: ReplayRun[] = [];
  const pool = new ReplayPool(() => {
    const replay: ReplayRun = () => Promise.reject(REFUSED);
    made.push(replay);
    return replay;
  });
  return { pool, made };
}

function defer() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test("S8-013 a replay that waits for what is no step does not hold up the others, and is waited for at the end", async () => {
  const { pool, made } = createPool();
  const waits = defer();
  const done: string[] = [];
  await pool.run(async () => {
    await waits.promise;
    done.push("slow");
  });
  for (const name of ["one", "two", "three"])
    await pool.run(async () => {
      done.push(name);
    });
  expect(done).toEqual(["one", "two", "three"]);
  expect(made).toHaveLength(2);
  waits.resolve();
  await pool.end();
  expect(done).toEqual(["one", "two", "three", "slow"]);
});

test("S8-013 only so many replays wait at a time, as each holds a history", async () => {
  const { pool } = createPool();
  const waits = defer();
  let started = 0;
  const all = (async () => {
    for (let count = 0; count < 100; count += 1)
      await pool.run(() => {
        started += 1;
        if (started === 64) waits.resolve();
        return waits.promise;
      });
    await pool.end();
  })();
  await all;
  expect(started).toBe(100);

  const held = defer();
  let most = 0;
  let open = 0;
  const more = (async () => {
    for (let count = 0; count < 100; count += 1)
      await pool.run(async () => {
        open += 1;
        most = Math.max(most, open);
        await held.promise;
        open -= 1;
      });
    await pool.end();
  })();
  await expect.poll(() => open, { timeout: 60_000 }).toBe(64);
  held.resolve();
  await more;
  expect(most).toBe(64);
});

test("S8-013 what a replay throws is thrown once, also after a wait", async () => {
  const { pool } = createPool();
  await expect(pool.run((replay) => replay({} as never).then(() => undefined))).rejects.toBe(
    REFUSED,
  );
  const other = createPool().pool;
  const waits = defer();
  await other.run(() => waits.promise.then(() => Promise.reject(REFUSED)));
  waits.resolve();
  await expect(other.end()).rejects.toBe(REFUSED);
});
