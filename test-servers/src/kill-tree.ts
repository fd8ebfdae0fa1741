/** SIGKILL for a process and all that it has started: a vendor's tool runs functions in processes of their own. */
import { execFileSync } from "node:child_process";

/** Processes that have gone already are no error. */
export function killTree(pid: number): void {
  // Listed before any is killed: an orphan's parent is another.
  for (const found of findTree(pid)) {
    try {
      process.kill(found, "SIGKILL");
    } catch {
      // It went with its parent.
    }
  }
}

function findTree(pid: number): readonly number[] {
  const table = execFileSync("ps", ["-e", "-o", "ppid=,pid="], { encoding: "utf8" });
  const pairs = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  // Grows while it is gone through: children of children.
  for (const parent of found)
    found.push(...pairs.flatMap(([ppid, child]) => (ppid === parent && child ? [child] : [])));
  return found;
}
