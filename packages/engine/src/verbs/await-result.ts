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
import { pollUntil, type Wait } from "./waiting.ts";

const DEFAULT_TIMEOUT: DurationMs = 60_000;

const RESULT_OPTIONS: Readonly<Record<keyof ResultOptions, 1>> = { timeout: 1 };

const GET_OPTIONS: Readonly<Record<keyof GetInstanceOptions, 1>> = { waitMs: 1, signal: 1 };

/**
 * Waits for what an instance's workflow returns.
 *
 * @param wait `id`: the instance's id, or a function that creates the instance, called after the options were checked
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
  const end = await pollUntil<InstanceRecord | EndOutcome>(context, {
    ...endOf(context, workflow, instanceId),
    timeoutMs,
    isOver: (found) => "kind" in found || isTerminal(found.status),
    hear: async ({ milestones }) => {
      const heard = await milestones.ended;
      return "outcome" in heard ? heard.outcome : null;
    },
  });
  if ("kind" in end) return toResult({ workflowName: workflow.name, instanceId }, end);
  if (!isTerminal(end.status)) throw resultTimeout(end, timeoutMs);
  return toResult(end, toOutcome(end));
}

/**
 * Returns an instance when it has ended, or when the time is over.
 *
 * @throws as `EngineService.getInstance`
 */
export async function getInstance(
  context: HostContext,
  workflow: RegisteredWorkflow,
  { id, options }: { readonly id: string; readonly options: GetInstanceOptions | undefined },
): Promise<InstanceRecord> {
  assertKnownOptions("getInstance", options, GET_OPTIONS);
  const { waitMs = 0, signal } = options ?? {};
  return pollUntil(context, {
    ...endOf(context, workflow, id),
    timeoutMs: parseWaitMs(waitMs),
    signal,
    isOver: ({ status }) => isTerminal(status),
  });
}

/** How to wait for the end of an instance. */
const endOf = (
  context: HostContext,
  workflow: RegisteredWorkflow,
  instanceId: string,
): Pick<Wait<InstanceRecord>, "ref" | "read" | "newsOf"> => ({
  ref: { workflowName: workflow.name, instanceId },
  read: () => loadInstance(context, workflow, instanceId),
  newsOf: ({ milestones }) => [milestones.ended],
});

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
