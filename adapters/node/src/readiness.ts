/** Whether a process can work, for the probes of load balancers and orchestrators. */
import type { Engine } from "@escapement/engine";

/** All that readiness needs of an engine. */
export type ReadyEngine = Pick<Engine, "nextWake">;

/** An answer of the database stands for so long, in milliseconds, whoever asks and however often. */
const FRESH_MS = 1000;
/** A probe waits no longer than this, in milliseconds; a database that takes longer is away. */
const PATIENCE_MS = 2000;

/** Creates a function that says whether the database answers and its schema is ours: one trip a second at most. */
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
