/** Runs the author's function in a session. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { late } from "../core/late.ts";
import { TOPIC_PATIENCE_MS } from "../core/topic.ts";
import { TOPIC_TASKS } from "../core/engine-names.ts";
import { toLogFields } from "../core/errors.ts";
import { decodePlain, encodePlain, isTagged } from "../core/plain-codec.ts";
import type { JsonText } from "../core/model/records.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { RunContext } from "./context.ts";
import { loadOrThrow } from "./missing-code.ts";
import { otherOutcomes } from "./late-code.ts";
import { RunSession } from "./session.ts";
import type { Session } from "./session-interface.ts";
import type { SessionOptions } from "./session-options.ts";
import { Place } from "./place.ts";
import { createSteps } from "./steps.ts";

/** Starts a claimed run; `session.milestones.ended` says how it ended. Never rejects: what author code throws fails the instance. */
export function startSession(
  context: RunContext,
  claimed: ClaimedRun,
  options: SessionOptions,
): Session {
  const session = new RunSession(context, claimed, options);
  const { endRequested, lostLeases } = claimed;
  if (endRequested === null && lostLeases < context.limits.maxLostLeases) begin(session, options);
  else
    session.code.with(otherOutcomes, ({ endUnbegun }) => {
      const error = endUnbegun(context, claimed);
      if (error === null) begin(session, options);
      else session.fail(error);
    });
  return session;
}

function begin(session: Session, options: SessionOptions): void {
  const { context, claimed } = session;
  const { workflowName } = claimed.run;
  const { bulk } = context;
  const workflow = workflowName === bulk?.name ? bulk : context.registry.get(workflowName);
  if (workflowName === TOPIC_TASKS) void handOn(session, options);
  else if (workflow === undefined || session.isStopping || !options.budget.hasTime())
    session.interrupt();
  else if (workflow.code === undefined) readParams(session, workflow);
  else session.code.with(workflow.code, () => readParams(session, workflow));
}

function readParams(session: Session, workflow: RegisteredWorkflow): void {
  const { params } = session.claimed;
  if (params === null || !isTagged(params)) void runAuthor(session, workflow, decodePlain);
  else
    session.code.with(
      otherOutcomes,
      ({ decodeJson }) => void runAuthor(session, workflow, decodeJson),
    );
}

const deliverTopic = late(() => import("./deliver-topic.ts"));

/** Delivers topic messages, which are claimed like runs. */
async function handOn(session: Session, { budget }: SessionOptions): Promise<void> {
  try {
    await (await deliverTopic()).deliverRest(session, budget);
  } catch (error) {
    // The code cannot be loaded, for example because a deploy removed its file. A later claim gets the messages.
    const { context, claimed } = session;
    const topic = claimed.run.instanceId;
    context.logger.log("error", "topic.undelivered", { topic, ...toLogFields(error) });
    context.host.setTimer(TOPIC_PATIENCE_MS, () => session.interrupt());
  }
}

async function runAuthor(
  session: Session,
  workflow: RegisteredWorkflow,
  decode: (params: JsonText | null) => unknown,
): Promise<void> {
  // The lease may have been lost while the code was loaded.
  if (session.isOver) return;
  const stepsAt = createSteps(session, workflow);
  const place = new Place(workflow.repeatedNames);
  try {
    // The params were parsed when the instance was created. A schema that is stricter by now must not fail it.
    const { claimed, context, followed } = session;
    const { run, createdAt } = claimed;
    const payload = decode(claimed.params) as Readonly<unknown>;
    const event = { payload, timestamp: new Date(createdAt), instanceId: run.instanceId };
    const { workflows } = context;
    const call = (): unknown => workflow.run(event, stepsAt(place), { workflows });
    const running = place.endOf(() =>
      followed === undefined ? call() : followed.within(null, call, undefined),
    );
    session.authorActed();
    const value = await session.asked.unlessLeft(running);
    session.authorDone();
    if (session.known.endRequested === "rollback") await assertKept(session);
    const output =
      workflow.output === null
        ? value
        : await (await loadOrThrow(validating)).validateOutput(workflow, value);
    const { maxOutputBytes } = context.limits;
    const plain = encodePlain(output, maxOutputBytes);
    session.complete(
      plain === undefined
        ? (await loadOrThrow(otherOutcomes)).encodeOutput(output, maxOutputBytes)
        : plain,
    );
  } catch (error) {
    session.authorDone();
    const failed = { workflow, stepsAt, place, error };
    session.code.with(otherOutcomes, ({ failRun }) => void failRun(session, failed));
  }
}

/** @throws {RollbackError} if what author code has done is to be undone @throws {MissingCode} */
async function assertKept(session: Session): Promise<void> {
  const { leaveToUndo, toRollbackError } = await loadOrThrow(otherOutcomes);
  if (leaveToUndo(session)) throw toRollbackError();
}

const validating = late(() => import("../authoring/validate.ts"));
