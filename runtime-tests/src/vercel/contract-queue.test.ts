/** The adapter contract where every request comes late in its invocation, so that Queues carry all that it makes due. */
import { describeAdapterContract } from "@escapement/adapter-contract";
import { byQueue, LATE_MS, MAX_DELAY_SECONDS, openFixture } from "./contract-fixture.ts";

describeAdapterContract({
  name: "Vercel, handed over by Queues",
  skip: null,
  capabilities: {
    invocations: true,
    deadlines: true,
    exactWakes: { maxWakeMs: MAX_DELAY_SECONDS * 1000, earlyMs: 0 },
    faults: true,
    clockSkew: true,
    unknownEvents: true,
  },
  open: (options) => openFixture(byQueue(LATE_MS), options),
});
