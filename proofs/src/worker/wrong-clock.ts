/** Processes whose clock is wrong, by faketime. */
import { clockEnvironment } from "@escapement-internal/test-servers";

/** Environments of processes that are an hour ahead and an hour behind; null, said aloud, where faketime is not installed. */
export function hourWrongClocks(): readonly [fast: Env, slow: Env] | null {
  const [fast, slow] = [clockEnvironment("+3600"), clockEnvironment("-3600")];
  if (fast !== null && slow !== null) return [fast, slow];
  console.warn("SKIPPED: faketime is not installed; processes with a wrong clock are not proven");
  return null;
}

type Env = Readonly<Record<string, string>>;
