/** Processes whose clock is wrong, by faketime. */
import { execFileSync } from "node:child_process";

/** The environment that makes a process's clock wrong, or null where faketime is not installed. @param offset seconds, with its sign */
function skewedBy(offset: string): Readonly<Record<string, string>> | null {
  try {
    // faketime itself would stand between us and the worker's process id, so only what it sets is taken.
    const lines = execFileSync("faketime", ["-f", offset, "env"], { encoding: "utf8" }).split("\n");
    const preload = lines
      .find((line) => line.startsWith("LD_PRELOAD="))
      ?.slice("LD_PRELOAD=".length);
    return preload === undefined ? null : { LD_PRELOAD: preload, FAKETIME: offset };
  } catch {
    return null;
  }
}

/** Environments of processes that are an hour ahead and an hour behind; null, said aloud, where faketime is not installed. */
export function hourWrongClocks(): readonly [fast: Env, slow: Env] | null {
  const [fast, slow] = [skewedBy("+3600"), skewedBy("-3600")];
  if (fast !== null && slow !== null) return [fast, slow];
  console.warn("SKIPPED: faketime is not installed; processes with a wrong clock are not proven");
  return null;
}

type Env = Readonly<Record<string, string>>;
