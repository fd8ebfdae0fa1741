import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { killTree } from "./kill-tree.ts";

/** Seconds that no other program sleeps. */
const SECONDS = 90_000 + (process.pid % 1000);
const PROGRAM = `
  const { spawn } = require("node:child_process");
  const begin = () => spawn("sleep", ["${SECONDS}"], { stdio: "ignore" });
  begin();
  setInterval(begin, 1);
  console.log("begun");
`;

const countSleeping = (): number =>
  execFileSync("ps", ["-e", "-o", "args="], { encoding: "utf8" })
    .split("\n")
    .filter((args) => args === `sleep ${SECONDS}`).length;

test("a process that goes on starting others leaves none of them behind", async () => {
  const child = spawn(process.execPath, ["--eval", PROGRAM], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const exited = once(child, "exit");
  killTree(child.pid ?? 0);
  await exited;
  await expect.poll(countSleeping, { timeout: 10_000 }).toBe(0);
});
