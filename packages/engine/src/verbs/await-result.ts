/** `instance.result()`: waits for the end of an instance. */
import type { GetInstanceOptions } from "../ports/service.ts";
import type { ResultOptions } from "../authoring/bindings.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { decodeJson } from "../core/codec.ts";
import { parseDuration } from "../core/duration.ts";
import { assertInvariant } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { EndOutcome } from "../core/model/change.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { DurationMs, InstanceRecord } from "../core/model/records.ts";
import { isTerminal } from "../core/model/status.ts";
import { rebuildError } from "../core/rebuild-error.ts";
import type { AwaitResult } from "./bindings.ts";
import type { HostContext } from "./context.ts";
import { parseWaitMs } from "./fields.ts";
import { loadInstance } from "./manage.ts";
import { resultTimeout, terminated } from "./refusals.ts";

const DEFAULT_TIMEOUT: DurationMs = 60_000;
/** Between two looks at what another process runs: at first, and in the end. */
export const FIRST_PAUSE: DurationMs = 25;
export const LONGEST_PAUSE: DurationMs = 1000;

const RESULT_OPTIONS: Readonly<Record<keyof ResultOptions, 1>> = { timeout: 1 };

const GET_OPTIONS: Readonly<Record<keyof GetInstanceOptions, 1>> = { waitMs: 1 };

/**
 * What an instance's workflow returns.
 *
 * @param wait `id`: of the instance, or what creates it, which is called once the options are known to be good
 * @throws as `WorkflowInstance.result`
 */
export async function awaitResult(
  context: HostContext,
  workflow: RegisteredWorkflow,
  wait: { readonly id: Parameters<AwaitResult>[1]; readonly options: ResultOptions | undefined },
): Promise<unknown> {
  const { id, options } = wait;
  assertKnownOptions("result", options, RESULT_OPTIONS);
  const timeoutMs = parseDuration(options?.timeout ?? DEFAULT_TIMEOUT, "timeout");
  const instanceId = typeof id === "string" ? id : await id();
  const end = await awaitEnd(context, workflow, { id: instanceId, timeoutMs, needsRecord: false });
  if ("kind" in end) return toResult({ workflowName: workflow.name, instanceId }, end);
  if (!isTerminal(end.status)) throw resultTimeout(end, timeoutMs);
  return toResult(end, toOutcome(end));
}

/**
 * One instance, once it has ended or so long has passed.
 *
 * @throws as `EngineService.getInstance`
 */
export async function getInstance(
  context: HostContext,
  workflow: RegisteredWorkflow,
  { id, options }: { readonly id: string; readonly options: GetInstanceOptions | undefined },
): Promise<InstanceRecord> {
  assertKnownOptions("getInstance", options, GET_OPTIONS);
  const timeoutMs = parseWaitMs(options?.waitMs ?? 0);
  const end = await awaitEnd(context, workflow, { id, timeoutMs, needsRecord: true });
  assertInvariant(!("kind" in end), "an instance was not looked for", { id });
  return end;
}

interface EndAwaited {
  readonly id: string;
  readonly timeoutMs: DurationMs;
  /** How it ended is not enough. */
  readonly needsRecord: boolean;
}

/**
 * As it was last seen, or how it ended in this process, which takes no trip. A look is one; the pauses between looks of what other
 * processes run double up to a second.
 */
async function awaitEnd(
  context: HostContext,
  workflow: RegisteredWorkflow,
  { id, timeoutMs, needsRecord }: EndAwaited,
): Promise<InstanceRecord | EndOutcome> {
  const { elapsedMs } = context.host;
  const ref = { workflowName: workflow.name, instanceId: id };
  const startedAt = elapsedMs();
  const leftMs = (): DurationMs => timeoutMs - (elapsedMs() - startedAt);
  for (let pauseMs = FIRST_PAUSE; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE)) {
    const outcome = await hearEnd(context, ref, leftMs());
    if (outcome !== null && !needsRecord) return outcome;
    const record = await loadInstance(context, workflow, id);
    if (isTerminal(record.status) || leftMs() <= 0) return record;
    if (findSession(context, ref) === undefined) await pause(context, Math.min(pauseMs, leftMs()));
  }
}

/**
 * While a session of this process advances the run there is nothing to look for: it knows when the run ends, is parked, or has
 * been taken from it.
 *
 * @returns how the run ended; null: it has not, or not here, or not in this time
 */
function hearEnd(
  context: HostContext,
  ref: InstanceRef,
  leftMs: DurationMs,
): Promise<EndOutcome | null> {
  const here = findSession(context, ref);
  if (here === undefined || leftMs <= 0) return Promise.resolve(null);
  return new Promise((resolve) => {
    const cancel = context.host.setTimer(leftMs, () => resolve(null));
    void here.milestones.ended.then((end) => {
      cancel();
      resolve("outcome" in end ? end.outcome : null);
    });
  });
}

const pause = ({ host }: HostContext, ms: DurationMs): Promise<void> =>
  new Promise((resolve) => void host.setTimer(ms, resolve));

/** The session of this process that advances an instance's run. */
export const findSession = (
  { slots }: HostContext,
  { workflowName, instanceId }: InstanceRef,
): HostContext["slots"]["sessions"][number] | undefined =>
  slots.sessions.find(
    ({ claimed: { run } }) => run.workflowName === workflowName && run.instanceId === instanceId,
  );

function toOutcome({ status, output, error, instanceId }: InstanceRecord): EndOutcome {
  if (status === "complete") return { kind: "complete", output };
  if (status === "terminated") return { kind: "terminate", error };
  assertInvariant(error !== null, "an errored instance has no error", { instanceId });
  return { kind: "fail", error };
}

function toResult(ref: InstanceRef, outcome: EndOutcome): unknown {
  if (outcome.kind === "complete") return decodeJson(outcome.output);
  throw outcome.kind === "terminate" ? terminated(ref) : rebuildError(outcome.error);
}
