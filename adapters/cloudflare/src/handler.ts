/** The Worker's side: requests to the object that keeps the workflows, and a cron as its safety net. */
import {
  createConsoleLogger,
  type Logger,
  type TickOutput,
  WorkflowError,
} from "@escapement/engine";
import {
  answerRefusal,
  assertOption,
  createTickMatch,
  createWorkflowMatch,
} from "@escapement/engine/adapter";
import type { ObjectNamespace } from "./host.ts";

/** The objects that the Worker calls, and the mount path. */
export interface HandlerOptions<TEnv> {
  /** Returns the binding of the class that hosts workflows, for example `(env) => env.WORKFLOWS`. */
  readonly objects: (env: TEnv) => ObjectNamespace;
  /** The name of the object. Each name is a database of its own. @default "escapement" */
  readonly name?: string;
  /**
   * A separate object for each of these workflows, named `<name>/<workflow>`, instead of one for all. What a workflow creates
   * through its bindings stays in its own object. @default one object
   */
  readonly workflowNames?: readonly string[];
  /** The engines' `http.mountRoute`. @default "/api/workflows" */
  readonly mountRoute?: string;
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
}

/** The default export of a Worker. */
type WorkerHandler<TEnv> = {
  /** Passes requests to the object. Answers 503 with `STORE_UNAVAILABLE` if the object cannot be reached or has been reset. */
  fetch(request: Request, env: TEnv): Promise<Response>;
  /** The safety net. @throws when an object cannot be reached or its tick fails, so that the run counts as failed */
  scheduled(controller: unknown, env: TEnv): Promise<void>;
};

/**
 * Creates the Worker: it passes requests to the object, and its cron looks after the object.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export function handler<TEnv>(options: HandlerOptions<TEnv>): WorkerHandler<TEnv> {
  const { objects, name = "escapement", workflowNames, mountRoute } = options;
  const { logger = createConsoleLogger() } = options;
  assertOption("name", name !== "", "a name for the object");
  assertOption(
    "workflowNames",
    workflowNames?.length !== 0,
    "at least one workflow, or none given",
  );
  const isTick = createTickMatch(mountRoute);
  const readWorkflow = createWorkflowMatch(mountRoute);
  const names = workflowNames?.map((one) => `${name}/${one}`) ?? [name];
  const call = async (env: TEnv, objectName: string, request: Request): Promise<Response> => {
    try {
      // A stub that has failed may keep failing, so none is kept.
      return await objects(env).getByName(objectName).fetch(request);
    } catch (error) {
      logger.log("error", "object.failed", { object: objectName, error: String(error) });
      return answerRefusal(new WorkflowError("STORE_UNAVAILABLE", "the object failed"));
    }
  };
  return {
    fetch: async (request, env) => {
      const [first = name, ...others] = names;
      const ownName = `${name}/${readWorkflow(request) ?? ""}`;
      const own = names.includes(ownName) ? ownName : first;
      if (others.length === 0 || !isTick(request)) return call(env, own, request);
      const copies = others.map((one) => [one, request.clone()] as const);
      // The objects know the secret, not the Worker. If the first admits the call, the others are asked too.
      const answer = await call(env, first, request);
      if (!answer.ok) return answer;
      const rest = copies.map(([one, copy]) => call(env, one, copy));
      return mergeTicks([answer, ...(await Promise.all(rest))]);
    },
    scheduled: async (_controller, env) => {
      const ticks = names.map((one) => objects(env).getByName(one).tick());
      for (const end of await Promise.allSettled(ticks))
        if (end.status === "rejected") throw end.reason;
    },
  };
}

/** One answer for the ticks of all objects: the first failure, or the sum. */
async function mergeTicks(answers: readonly Response[]): Promise<Response> {
  const failed = answers.find(({ ok }) => !ok);
  if (failed !== undefined) return failed;
  const ticks = await Promise.all(answers.map((answer) => answer.json() as Promise<TickOutput>));
  const first = (name: "nextWakeInMs" | "nextWakeAt" | "quietMs"): number | null => {
    const known = ticks.flatMap((tick) => tick[name] ?? []);
    return known.length === 0 ? null : Math.min(...known);
  };
  const output: TickOutput = {
    processed: ticks.reduce((sum, { processed }) => sum + processed, 0),
    steps: ticks.reduce((sum, { steps }) => sum + steps, 0),
    moreDue: ticks.some(({ moreDue }) => moreDue),
    nextWakeInMs: first("nextWakeInMs"),
    nextWakeAt: first("nextWakeAt"),
    thenWakeAt: null,
    quietMs: first("quietMs"),
  };
  return Response.json(output, { headers: { "cache-control": "no-store" } });
}
