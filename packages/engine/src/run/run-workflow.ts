/** Runs the author's function in a session. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { validate } from "../authoring/validate.ts";
import { decodeJson, encodeJson } from "../core/codec.ts";
import { WorkflowError } from "../core/errors.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { RunContext } from "./context.ts";
import { Session, type SessionOptions } from "./session.ts";
import { createStepScope } from "./step-scope.ts";

/** Starts a claimed run; `session.milestones.ended` tells how it went. Never rejects: what an author throws fails the instance. */
export function startSession(
  context: RunContext,
  claimed: ClaimedRun,
  options: SessionOptions,
): Session {
  const session = new Session(context, claimed, options);
  const workflow = context.registry.get(claimed.run.workflowName);
  if (claimed.lostLeases >= context.limits.maxLostLeases) session.fail(crashLoop(claimed));
  else if (workflow === undefined || session.isStopping || !options.budget.hasTime())
    session.interrupt();
  else void runAuthor(session, workflow);
  return session;
}

/** Whatever holds it, a process died of the run or at its side each time; nothing of it is run again. */
const crashLoop = ({ run, lostLeases }: ClaimedRun): WorkflowError =>
  new WorkflowError(
    "CRASH_LOOP",
    `${lostLeases} processes in a row died while they held the run, and none of them committed anything; ` +
      `restart the instance once the cause is found`,
    { ...run, lostLeases },
  );

async function runAuthor(session: Session, workflow: RegisteredWorkflow): Promise<void> {
  try {
    // Parsed when the instance was created: a schema that is stricter by now must not fail it.
    const payload = decodeJson(session.claimed.params) as Readonly<unknown>;
    const { run, createdAt } = session.claimed;
    const event = { payload, timestamp: new Date(createdAt), instanceId: run.instanceId };
    const step = createStepScope(session, workflow);
    const running = workflow.run(event, step, { workflows: session.context.workflows });
    session.authorStarted();
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
