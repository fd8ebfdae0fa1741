/** Runs the author's function in a session. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { validate } from "../authoring/validate.ts";
import { late } from "../core/late.ts";
import { TOPIC_PATIENCE_MS, TOPIC_TASKS } from "../core/topic.ts";
import { RollbackError, toLogFields, WorkflowError } from "../core/errors.ts";
import { decodePlain, encodePlain, isTagged } from "../core/plain-codec.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { RunContext } from "./context.ts";
import { endUnbegun, toRollbackError } from "./asked-end.ts";
import { MissingCode } from "./close-open.ts";
import { findRollback } from "./find-rollback.ts";
import { otherOutcomes } from "./late-outcomes.ts";
import { Session } from "./session.ts";
import type { SessionOptions } from "./session-options.ts";
import { Place } from "./place.ts";
import { createSteps } from "./steps.ts";
import type { StepsAt } from "./open-scope.ts";

/** Starts a claimed run; `session.milestones.ended` tells how it went. Never rejects: what an author throws fails the instance. */
export function startSession(
  context: RunContext,
  claimed: ClaimedRun,
  options: SessionOptions,
): Session {
  const session = new Session(context, claimed, options);
  const { workflowName } = claimed.run;
  const { bulk } = context;
  const workflow = workflowName === bulk?.name ? bulk : context.registry.get(workflowName);
  const unbegun = endUnbegun(claimed);
  if (workflowName === TOPIC_TASKS) void handOn(session, options);
  else if (claimed.lostLeases >= context.limits.maxLostLeases) session.fail(crashLoop(claimed));
  else if (unbegun !== null) session.fail(unbegun);
  else if (workflow === undefined || session.isStopping || !options.budget.hasTime())
    session.interrupt();
  else void runAuthor(session, workflow);
  return session;
}

const deliverTopic = late(() => import("./deliver-topic.ts"));

/** Messages that have yet to be handed on are claimed as runs are. */
async function handOn(session: Session, { budget }: SessionOptions): Promise<void> {
  const isOver = (): boolean => session.isStopping || !budget.hasTime();
  if (isOver()) return session.interrupt();
  try {
    await (await deliverTopic()).deliverRest(session, isOver);
  } catch (error) {
    // Its code cannot be loaded, as after a deploy that took the file away. A claim gets the messages, but not at once again.
    const { context, claimed } = session;
    const topic = claimed.run.instanceId;
    context.logger.log("error", "topic.undelivered", { topic, ...toLogFields(error) });
    context.host.setTimer(TOPIC_PATIENCE_MS, () => session.interrupt());
  }
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
  const stepsAt = createSteps(session, workflow);
  const place = new Place(workflow.repeatedNames);
  try {
    // Parsed when the instance was created: a schema that is stricter by now must not fail it.
    const { claimed, context, followed } = session;
    const { run, createdAt, params } = claimed;
    const isPlain = params === null || !isTagged(params);
    const payload = isPlain ? decodePlain(params) : (await loadOthers()).decodeJson(params);
    const event = {
      payload: payload as Readonly<unknown>,
      timestamp: new Date(createdAt),
      instanceId: run.instanceId,
    };
    const { workflows } = context;
    const call = (): unknown => workflow.run(event, stepsAt(place), { workflows });
    const running = session.told.endOf(place, () =>
      followed === undefined ? call() : followed.within(null, call, undefined),
    );
    session.authorActed();
    const value = await session.asked.unlessLeft(running);
    session.authorDone();
    if (session.asked.leaveToUndo()) throw toRollbackError();
    const output = await validate(workflow.output, value, {
      code: "INVALID_OUTPUT",
      what: `the output of workflow "${workflow.name}"`,
    });
    const options = { maxBytes: context.limits.maxOutputBytes, what: "the workflow's output" };
    const plain = encodePlain(output, options);
    session.complete(
      plain === undefined ? (await loadOthers()).encodeJson(output, options) : plain,
    );
  } catch (error) {
    session.authorDone();
    const asking =
      findRollback(error) ?? (session.asked.leaveToUndo() ? toRollbackError(error) : null);
    const failure =
      asking === null ? error : await undoRun(session, place, { stepsAt, error, asking });
    await failRun(session, workflow, failure);
  }
}

/** @throws {MissingCode} */
async function loadOthers(): Promise<Awaited<ReturnType<typeof otherOutcomes>>> {
  const code = await loadOrMiss(otherOutcomes);
  if (MissingCode.is(code)) throw code;
  return code;
}

const retryRun = late(() => import("./retry-run.ts"));

/** The run has failed: begins it again, if its workflow says so and nobody has asked it to end. Never rejects. */
async function failRun(
  session: Session,
  { runPolicy }: RegisteredWorkflow,
  error: unknown,
): Promise<void> {
  const isAsked = session.known.endRequested !== null;
  if (runPolicy === null || isAsked || MissingCode.is(error)) return session.fail(error);
  const code = await loadOrMiss(retryRun);
  if (MissingCode.is(code)) return session.fail(code);
  try {
    session.fail(error, code.decideRunRetry(session, runPolicy, error));
  } catch (failure) {
    session.fail(failure);
  }
}

/** Never rejects: the code of a process may be gone, as after a deploy that took the file away. */
const loadOrMiss = async <T>(load: () => Promise<T> | T): Promise<T | MissingCode> => {
  try {
    return await load();
  } catch (error) {
    return new MissingCode(error);
  }
};

interface Undoing {
  readonly stepsAt: StepsAt;
  /** What was thrown. */
  readonly error: unknown;
  readonly asking: WorkflowError;
}

const rollback = late(() => import("./rollback.ts"));

/** Undoes what the run has done. Never rejects. @returns what the run fails with */
async function undoRun(
  session: Session,
  place: Place,
  { stepsAt, error, asking }: Undoing,
): Promise<unknown> {
  // Nothing that author code left behind goes on.
  place.end();
  session.asked.isUndoing = true;
  const code = await loadOrMiss(rollback);
  if (MissingCode.is(code)) return code;
  try {
    session.goOn();
    await code.rollBack(session, (stepKey) => stepsAt(place.ofStep(stepKey)));
    return asking === error ? error : new RollbackError(asking.message, { cause: error });
  } catch (failure) {
    return failure;
  } finally {
    session.authorDone();
  }
}
