/** SIGKILL for a process and all that it has started: a vendor's tool runs functions in processes of their own. */
import { execFileSync } from "node:child_process";
import type { RunningServer } from "@escapement-internal/test-servers";

/** Resolves when the process itself has gone. */
export async function killTree(server: RunningServer): Promise<void> {
  const descendants = findDescendants(server.pid);
  await server.stop("SIGKILL");
  for (const pid of descendants) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It went with its parent.
    }
  }
}

function findDescendants(pid: number): readonly number[] {
  const table = execFileSync("ps", ["-e", "-o", "ppid=,pid="], { encoding: "utf8" });
  const pairs = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  // Grows while it is gone through: children of children.
  for (const parent of found)
    found.push(...pairs.flatMap(([ppid, child]) => (ppid === parent && child ? [child] : [])));
  return found.slice(1);
}
