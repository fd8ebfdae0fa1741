/** Finds out whether an engine has bulk jobs, by asking it for them. */
import { type EngineService, WorkflowError } from "@escapement/engine";

/** Creates a function that asks until it gets an answer. An engine that does not answer may have bulk jobs. */
export function findBulk(engine: EngineService): () => Promise<boolean> {
  let known: boolean | null = null;
  return async () => {
    if (known !== null) return known;
    try {
      await engine.listBulks({ pageSize: 1 });
      known = true;
    } catch (error) {
      if (!WorkflowError.is(error) || error.code !== "BULK_DISABLED") return true;
      known = false;
    }
    return known;
  };
}
