/** Processes whose clock is wrong, by faketime. */
import { execFileSync } from "node:child_process";

/**
 * The environment in which a process starts with another clock; null where faketime is not installed. faketime itself
 * would stand between us and the process: a signal to it leaves the process running, so only what it sets is taken.
 *
 * @param setting as `faketime -f` takes it: an offset in seconds with its sign, or `@2026-01-01 10:00:57`
 */
export function clockEnvironment(setting: string): Readonly<Record<string, string>> | null {
  try {
    const lines = execFileSync("faketime", ["-f", setting, "env"], { encoding: "utf8" }).split(
      "\n",
    );
    const preload = lines
      .find((line) => line.startsWith("LD_PRELOAD="))
      ?.slice("LD_PRELOAD=".length);
    return preload === undefined ? null : { LD_PRELOAD: preload, FAKETIME: setting };
  } catch {
    return null;
  }
}
