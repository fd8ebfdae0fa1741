/**
 * Fails when a process that the run started is still there: `ESCAPEMENT_CI_RUN` in its environment is the run's.
 *
 *   ESCAPEMENT_CI_RUN=… tsx scripts/left-processes.ts
 *
 * By environment and not by session or group: what a test leaves has often made itself a session of its own.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isProgram, reportFindings } from "./findings.ts";

/** A process ends a moment after who waited for it. */
const GRACE_MS = 10_000;
const LOOK_MS = 250;

export const RUN_VARIABLE = "ESCAPEMENT_CI_RUN";

/** Processes of the run, as `pid: command line`, without this one, those that started it, and those that it started. */
export function findLeftProcesses(run: string): string[] {
  const own = ancestorsOf(process.pid);
  const isOwn = (pid: number): boolean => own.has(pid) || ancestorsOf(pid).has(process.pid);
  return (
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && !isOwn(Number(name)))
      .filter((pid) => read(pid, "environ").split("\0").includes(`${RUN_VARIABLE}=${run}`))
      .map((pid) => ({ pid, command: read(pid, "cmdline").replaceAll("\0", " ").trim() }))
      // One that has ended, and that nobody has waited for yet, has no command line any more.
      .filter(({ command }) => command !== "")
      .map(({ pid, command }) => `${pid}: ${command.slice(0, 200)}`)
  );
}

function ancestorsOf(pid: number): Set<number> {
  const found = new Set<number>();
  for (let at = pid; at > 0 && !found.has(at);) {
    found.add(at);
    // The name in parentheses may hold spaces; the parent is the second field behind it.
    at = Number(read(String(at), "stat").split(") ").at(-1)?.split(" ")[1] ?? 0);
  }
  return found;
}

/** Text of a file of a process; empty when it has gone, or is another user's. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

if (isProgram(import.meta.url)) {
  const run = process.env[RUN_VARIABLE] ?? "";
  const giveUpAt = performance.now() + GRACE_MS;
  const look = (): string[] => (existsSync("/proc") && run !== "" ? findLeftProcesses(run) : []);
  let left = look();
  while (left.length > 0 && performance.now() < giveUpAt) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    left = look();
  }
  reportFindings(
    left.map((line) => `left behind: ${line}`),
    "no process of this run is left",
  );
}
