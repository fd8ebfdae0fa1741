/** What a process notices of other processes' commits on a SQLite file, and how often it looks. */
import { temporaryDirectory } from "@escapement-internal/test-servers";
import Libsql from "libsql";
import { afterEach, expect, test, vi } from "vitest";
import type { Database, Listening } from "../batch.ts";
import { watchDataVersion } from "./data-version.ts";
import { applyRecommendedPragmas, createSqliteDatabase } from "./sqlite.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function open(file: string): Database {
  const connection = new Libsql(file);
  applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
  const database = createSqliteDatabase(connection);
  cleanups.push(() => database.close());
  return database;
}

function freshFile(): string {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  return `${directory.path}/data.db`;
}

const run = (database: Database, text: string): Promise<unknown> =>
  database.batch([{ text, values: [] }]);

const listening = (others: Partial<Listening>): Listening => ({
  channel: async () => "",
  isDue: async () => true,
  onHint: () => undefined,
  onTrouble: () => undefined,
  ...others,
});

test("S4-034 a commit of another connection to the file is told; one's own, and a rollback, are not", async () => {
  const file = freshFile();
  const [own, other] = [open(file), open(file)];
  await run(own, "create table t (x)");
  const hints: string[] = [];
  let doing = "before";
  own.listen?.(listening({ onHint: () => hints.push(doing) }));
  await expect.poll(() => hints).toEqual(["before"]);
  doing = "own";
  await run(own, "insert into t values (1)");
  await run(other, "insert into nowhere values (1)").catch(() => undefined);
  doing = "other";
  await run(other, "insert into t values (2)");
  await expect.poll(() => hints).toEqual(["before", "other"]);
});

test("S4-034 a database in memory, and a client that is closed, are looked at no more", async () => {
  vi.useFakeTimers();
  open(":memory:").listen?.(listening({}));
  expect(vi.getTimerCount()).toBe(0);
  const database = open(freshFile());
  database.listen?.(listening({}));
  const stop = database.listen?.(listening({}));
  expect(vi.getTimerCount()).toBe(2);
  stop?.();
  expect(vi.getTimerCount()).toBe(1);
  await database.close();
  expect(vi.getTimerCount()).toBe(0);
});

/** A file whose version the test sets, and the times of looks at it. */
function watch(others: Partial<Listening>): { version: number; looks: number[] } {
  vi.useFakeTimers({ now: 0 });
  const file = { version: 1, looks: [] as number[] };
  const readRows = (): unknown[] => {
    file.looks.push(Date.now());
    return [{ data_version: file.version }];
  };
  cleanups.push(watchDataVersion(readRows, listening(others)));
  return file;
}

test("S4-034 looks at a file at rest back off to 160 ms, and are 10 ms apart while there is something to do", async () => {
  const file = watch({});
  await vi.advanceTimersByTimeAsync(700);
  expect(file.looks).toEqual([10, 20, 40, 80, 160, 320, 480, 640]);
  file.looks.length = 0;
  file.version += 1;
  await vi.advanceTimersByTimeAsync(110);
  file.version += 1;
  await vi.advanceTimersByTimeAsync(80);
  expect(file.looks).toEqual([800, 810, 830, 840, 860]);
});

test("S4-034 what others do for themselves brings nobody back from 160 ms", async () => {
  let hints = 0;
  const file = watch({ isDue: async () => false, onHint: () => (hints += 1) });
  for (let commit = 0; commit < 40; commit += 1) {
    file.version += 1;
    await vi.advanceTimersByTimeAsync(20);
  }
  expect(file.looks).toEqual([10, 30, 70, 150, 310, 470, 630, 790]);
  expect(hints).toBe(0);
});

test("S4-034 a file that could not be asked is asked again, though nobody has written since", async () => {
  let [asked, hints] = [0, 0];
  const isDue = async (): Promise<boolean> => {
    asked += 1;
    if (asked < 3) throw new Error("busy");
    return true;
  };
  watch({ isDue, onHint: () => (hints += 1) });
  await vi.advanceTimersByTimeAsync(200);
  expect([asked, hints]).toEqual([3, 1]);
});
