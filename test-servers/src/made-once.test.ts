/** What is made once is there for all who ask. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { madeOnce } from "./made-once.ts";

test("is made by the first who asks, and waited for by the others", async () => {
  let count = 0;
  const ask = () =>
    madeOnce(`made-once-${process.pid}`, async (folder) => {
      count += 1;
      await new Promise((resolve) => void setImmediate(resolve));
      writeFileSync(join(folder, "file"), "made");
    });
  const folders = await Promise.all([ask(), ask(), ask()]);
  expect(new Set([...folders, await ask()]).size).toBe(1);
  expect(readFileSync(join(folders[0] ?? "", "file"), "utf8")).toBe("made");
  expect(count).toBe(1);
});

test("fails for all when it cannot be made", async () => {
  const ask = () =>
    madeOnce(`made-never-${process.pid}`, () => Promise.reject(new RangeError("no room")));
  const answers = await Promise.allSettled([ask(), ask()]);
  expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(ask()).rejects.toThrow("no room");
});

test("fails for those who wait when the process that makes it has ended", async () => {
  const folder = await madeOnce(`made-beside-${process.pid}`, () => Promise.resolve());
  const name = `made-by-one-that-ends-${process.pid}`;
  mkdirSync(join(folder, "..", name));
  const { pid } = spawnSync(process.execPath, ["--version"]);
  writeFileSync(join(folder, "..", `${name}.maker`), String(pid));
  await expect(madeOnce(name, () => Promise.resolve())).rejects.toThrow("has ended");
});
