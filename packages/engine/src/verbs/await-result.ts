/** `instance.result()`: waits for the end of an instance. */
import type { ResultOptions } from "../authoring/bindings.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { decodeJson } from "../core/codec.ts";
import { parseDuration } from "../core/duration.ts";
import { assertInvariant } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { DurationMs, InstanceRecord } from "../core/model/records.ts";
import { isTerminal } from "../core/model/status.ts";
import { rebuildError } from "../core/rebuild-error.ts";
import type { HostContext } from "./context.ts";
import { loadInstance } from "./manage.ts";
import { resultTimeout, terminated } from "./refusals.ts";

const DEFAULT_TIMEOUT: DurationMs = 60_000;
const FIRST_PAUSE: DurationMs = 25;
const LONGEST_PAUSE: DurationMs = 1000;

const RESULT_OPTIONS: Readonly<Record<keyof ResultOptions, 1>> = { timeout: 1 };

/**
 * What an instance's workflow returns. One trip for each look; the pauses between looks double up to a second.
 *
 * @throws as `WorkflowInstance.result`
 */
export async function awaitResult(
  context: HostContext,
  workflow: RegisteredWorkflow,
  { id, options }: { readonly id: string; readonly options: ResultOptions | undefined },
): Promise<unknown> {
  assertKnownOptions("result", options, RESULT_OPTIONS);
  const timeoutMs = parseDuration(options?.timeout ?? DEFAULT_TIMEOUT, "timeout");
  const { elapsedMs } = context.host;
  const startedAt = elapsedMs();
  for (let pauseMs = FIRST_PAUSE; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE)) {
    const record = await loadInstance(context, workflow, id);
    if (isTerminal(record.status)) return toResult(record);
    const leftMs = timeoutMs - (elapsedMs() - startedAt);
    if (leftMs <= 0) throw resultTimeout(record, timeoutMs);
    await pauseOrEnd(context, record, Math.min(pauseMs, leftMs));
  }
}

/** Until the time is over, or a session of this process has ended the run. */
function pauseOrEnd(
  { host, slots }: HostContext,
  { workflowName, instanceId }: InstanceRecord,
  pauseMs: DurationMs,
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = host.setTimer(pauseMs, resolve);
    const here = slots.sessions.find(
      ({ claimed: { run } }) => run.workflowName === workflowName && run.instanceId === instanceId,
    );
    void here?.milestones.ended.then(({ kind }) => {
      if (kind !== "complete" && kind !== "errored") return;
      cancel();
      resolve();
    });
  });
}

function toResult(instance: InstanceRecord): unknown {
  const { status, output, error, instanceId } = instance;
  if (status === "complete") return decodeJson(output);
  if (status === "terminated") throw terminated(instance);
  assertInvariant(error !== null, "an errored instance has no error", { instanceId });
  throw rebuildError(error);
}
