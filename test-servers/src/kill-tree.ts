/** SIGKILL for a process and all that it has started: a vendor's tool runs functions in processes of their own. */
import { execFileSync } from "node:child_process";

/** Processes that have gone already are no error. */
export function killTree(pid: number): void {
  const stopped = new Set<number>();
  // A process that is stopped starts no other, so the list is whole once nothing new is in it. What is killed while it is listed
  // leaves its children to another parent.
  for (
    let found = [pid];
    found.length > 0;
    found = findTree(pid).filter((one) => !stopped.has(one))
  )
    for (const one of found) {
      signal(one, "SIGSTOP");
      stopped.add(one);
    }
  for (const one of stopped) signal(one, "SIGKILL");
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has gone.
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
