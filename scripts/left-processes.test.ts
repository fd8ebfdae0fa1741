import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { findLeftProcesses, RUN_VARIABLE } from "./left-processes.ts";

const hasProc = existsSync("/proc/self/environ");

test("a process of the run is found by its environment, in a session of its own too, and not once it has ended", async () => {
  const run = `test-${process.pid}`;
  const env = { ...process.env, [RUN_VARIABLE]: run };
  // The shell ends at once, so that what it started is nobody's.
  const shell = spawn("sh", ["-c", "sleep 600 >/dev/null 2>&1 & echo $!"], { env, detached: true });
  const [pid] = (await once(shell.stdout, "data")) as [Buffer];
  await once(shell, "close");
  const orphan = Number(pid.toString());
  try {
    const found = [expect.stringContaining(`${orphan}: sleep 600`)];
    if (hasProc) await expect.poll(() => findLeftProcesses(run)).toEqual(found);
  } finally {
    process.kill(orphan, "SIGKILL");
  }
  await expect.poll(() => findLeftProcesses(run)).toEqual([]);
});
