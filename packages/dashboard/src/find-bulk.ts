/** Whether an engine has bulk jobs, which is told by asking it for them. */
import { type EngineService, WorkflowError } from "@escapement/engine";

/** Makes the question, which is asked until it was answered once. An engine that does not answer may have them. */
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
