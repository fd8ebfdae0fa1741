/** `instance.result()`: waits for the end of an instance. */
import type { GetInstanceOptions } from "../ports/service.ts";
import type { ResultOptions } from "../authoring/bindings.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { decodeJson } from "../core/codec.ts";
import { parseDuration } from "../core/duration.ts";
import { assertInvariant } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
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
  const record = await awaitEnd(context, workflow, { id: instanceId, timeoutMs });
  if (!isTerminal(record.status)) throw resultTimeout(record, timeoutMs);
  return toResult(record);
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
  return awaitEnd(context, workflow, { id, timeoutMs: parseWaitMs(options?.waitMs ?? 0) });
}

/** As it was last seen. One trip for each look; the pauses between looks of what other processes run double up to a second. */
async function awaitEnd(
  context: HostContext,
  workflow: RegisteredWorkflow,
  { id, timeoutMs }: { readonly id: string; readonly timeoutMs: DurationMs },
): Promise<InstanceRecord> {
  const { elapsedMs } = context.host;
  const startedAt = elapsedMs();
  for (let pauseMs = FIRST_PAUSE; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE)) {
    const record = await loadInstance(context, workflow, id);
    const leftMs = timeoutMs - (elapsedMs() - startedAt);
    if (isTerminal(record.status) || leftMs <= 0) return record;
    await pauseOrEnd(context, record, { pauseMs, leftMs });
  }
}

/**
 * Until the next look. While a session of this process advances the run there is nothing to look for: it knows when the run
 * ends, is parked, or has been taken from it.
 */
function pauseOrEnd(
  context: HostContext,
  record: InstanceRecord,
  { pauseMs, leftMs }: { readonly pauseMs: DurationMs; readonly leftMs: DurationMs },
): Promise<void> {
  const { host } = context;
  const here = findSession(context, record);
  return new Promise((resolve) => {
    const limitMs = here === undefined ? Math.min(pauseMs, leftMs) : leftMs;
    const cancel = host.setTimer(limitMs, resolve);
    void here?.milestones.ended.then(() => {
      cancel();
      resolve();
    });
  });
}

/** The session of this process that advances an instance's run. */
export const findSession = (
  { slots }: HostContext,
  { workflowName, instanceId }: InstanceRef,
): HostContext["slots"]["sessions"][number] | undefined =>
  slots.sessions.find(
    ({ claimed: { run } }) => run.workflowName === workflowName && run.instanceId === instanceId,
  );

function toResult(instance: InstanceRecord): unknown {
  const { status, output, error, instanceId } = instance;
  if (status === "complete") return decodeJson(output);
  if (status === "terminated") throw terminated(instance);
  assertInvariant(error !== null, "an errored instance has no error", { instanceId });
  throw rebuildError(error);
}
