/** Readiness of a process, for the probes of load balancers and orchestrators. */
import type { Engine } from "@escapement/engine";

/** The part of an engine that readiness needs. */
export type ReadyEngine = Pick<Engine, "nextWake">;

/** How long an answer of the database is valid, in milliseconds, however often probes ask. */
const FRESH_MS = 1000;
/** The longest that a probe waits, in milliseconds; a slower database counts as down. */
const PATIENCE_MS = 2000;

/** Creates a function that tells whether the database answers and its schema fits: at most one trip a second. */
export function createReadiness({ nextWake }: ReadyEngine): () => Promise<boolean> {
  let asked: Promise<boolean> | null = null;
  const ask = async (): Promise<boolean> => {
    const isReady = await nextWake().then(
      () => true,
      () => false,
    );
    setTimeout(() => (asked = null), FRESH_MS).unref();
    return isReady;
  };
  return async () => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS, false);
    });
    const isReady = await Promise.race([(asked ??= ask()), late]);
    clearTimeout(timer);
    return isReady;
  };
}
