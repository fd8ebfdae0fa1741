/** @module `instance.ask()`: sends an event and waits for its reply. Loaded when a process first asks. */
import type { AskOptions } from "../authoring/bindings.ts";
import { parseDuration } from "../core/duration.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { CoreService } from "../ports/service.ts";
import type { SendEventInput } from "../ports/event-inputs.ts";
import { MAX_WAIT_MS } from "./fields.ts";
import { replyTimeout } from "./refusals.ts";

const DEFAULT_TIMEOUT: DurationMs = 60_000;

const ASK_OPTIONS: Readonly<Record<keyof AskOptions, 1>> = { timeout: 1 };

interface Question {
  readonly event: SendEventInput;
  readonly options: AskOptions | undefined;
}

/** @throws as `WorkflowInstance.ask` */
export async function ask(
  service: Pick<CoreService, "sendEvent" | "getReply">,
  ref: InstanceRef,
  { event, options }: Question,
): Promise<unknown> {
  assertKnownOptions("ask", options, ASK_OPTIONS);
  const timeoutMs = Math.ceil(parseDuration(options?.timeout ?? DEFAULT_TIMEOUT, "timeout"));
  const eventId = event.eventId ?? crypto.randomUUID();
  const { workflowName, instanceId } = ref;
  const { details } = await service.sendEvent(workflowName, instanceId, { ...event, eventId });
  const { runNumber } = details;
  for (let leftMs = timeoutMs; ; leftMs -= MAX_WAIT_MS) {
    const waitMs = Math.min(leftMs, MAX_WAIT_MS);
    const found = await service.getReply(workflowName, instanceId, eventId, { waitMs, runNumber });
    if (found.answered) return found.reply;
    if (leftMs <= MAX_WAIT_MS) throw replyTimeout(ref, { eventId, timeoutMs });
  }
}
