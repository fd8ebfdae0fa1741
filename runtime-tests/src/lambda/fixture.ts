/** The contract's fixture, whatever runs the function: events in, and wakes out of what AWS was asked. */
import type { AdapterFixture, AdapterWake } from "@escapement/adapter-contract";
import { expect } from "vitest";
import { TICK, toQueueEvent, toResponse, toUrlEvent } from "./events.ts";
import type { FakeAws, Sent } from "./fake-aws.ts";

/** Runs the function once. @returns its answer @throws its error */
export type Invoke = (
  event: unknown,
  options?: { readonly remainingMs?: number },
) => Promise<unknown>;

export const toFixture = (aws: FakeAws, invoke: Invoke): Omit<AdapterFixture, "teardown"> => ({
  call: async (request) => toResponse(await invoke(toUrlEvent(request))),
  // The safety-net schedule sends to the queue.
  safetyTick: async () => {
    await invoke(toQueueEvent(TICK));
  },
  takeWakes: () => aws.sent.splice(0).map((sent) => toWake(aws, invoke, sent)),
  deliverUnknown: () => invoke({ Records: [{ eventSource: "aws:s3" }] }),
});

function toWake(aws: FakeAws, invoke: Invoke, sent: Sent): AdapterWake {
  const { fields } = sent;
  const target = fields["Target"] as { readonly Input: string } | undefined;
  const event = toQueueEvent(target?.Input ?? String(fields["MessageBody"]));
  return {
    at: findInstant(sent),
    deliver: async (options) => {
      // ActionAfterCompletion.
      aws.names.delete(String(fields["Name"]));
      expect(await invoke(event, options)).toEqual({ batchItemFailures: [] });
    },
  };
}

function findInstant({ service, fields }: Sent): number | null {
  const instant = /^at\((.+)\)$/.exec(String(fields["ScheduleExpression"]))?.[1];
  if (service === "scheduler") return Date.parse(`${instant}Z`);
  const { DelaySeconds: delaySeconds } = fields;
  return delaySeconds === 0 ? null : Date.now() + Number(delaySeconds) * 1000;
}
