/** Runs the author's function in a session. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { validate } from "../authoring/validate.ts";
import { decodeJson, encodeJson } from "../core/codec.ts";
import type { ClaimedRun } from "../ports/store.ts";
import type { Budget } from "./budget.ts";
import type { RunnerContext } from "./context.ts";
import { Session } from "./session.ts";
import { createStepScope } from "./step-scope.ts";

/** Starts a claimed run; `session.ended` tells how it went. Never rejects: what an author throws fails the instance. */
export function startSession(
  context: RunnerContext,
  claimed: ClaimedRun,
  options: { readonly now: number; readonly budget: Budget },
): Session {
  const session = new Session(context, claimed, options);
  const workflow = context.registry.get(claimed.run.workflowName);
  // Attempts that died with earlier runners must be counted, and only replay tells which.
  const hasNothingToDo = session.isStopping || !options.budget.hasTime();
  if (workflow === undefined || (hasNothingToDo && session.takeover.isOver)) {
    session.interrupt();
    return session;
  }
  void runAuthor(session, workflow);
  return session;
}

async function runAuthor(session: Session, workflow: RegisteredWorkflow): Promise<void> {
  try {
    const payload = await readParams(session, workflow);
    const { run, createdAt } = session.claimed;
    const event = { payload, timestamp: new Date(createdAt), instanceId: run.instanceId };
    const steps = createStepScope(session, workflow);
    const step = session.transactions?.wrap(steps, workflow) ?? steps;
    const running = workflow.run(event, step, { workflows: session.context.workflows });
    session.schedule();
    const value = await running;
    session.authorDone();
    const output = await validate(workflow.output, value, {
      code: "INVALID_OUTPUT",
      what: `the output of workflow "${workflow.name}"`,
    });
    session.complete(
      encodeJson(output, {
        maxBytes: session.context.limits.maxOutputBytes,
        what: "the workflow's output",
      }),
    );
  } catch (error) {
    session.authorDone();
    session.fail(error);
  }
}

const readParams = async (
  session: Session,
  workflow: RegisteredWorkflow,
): Promise<Readonly<unknown>> => {
  const params = decodeJson(session.claimed.params);
  const what = `params of workflow "${workflow.name}"`;
  return (await validate(workflow.schema, params, {
    code: "INVALID_PARAMS",
    what,
  })) as Readonly<unknown>;
};
