/** The adapter contract as it goes mostly: a request's own invocation does what it made due, once it has answered. */
import { describeAdapterContract } from "@escapement/adapter-contract";
import { byQueue, openFixture, USUAL_MS } from "./contract-fixture.ts";

describeAdapterContract({
  name: "Vercel, work after the answer",
  skip: null,
  capabilities: {
    invocations: "nobody is asked: a request's own invocation does the work",
    deadlines: "tested with the wakes by Queues",
    exactWakes: "tested with the wakes by Queues",
    comesBack: true,
    faults: true,
    clockSkew: true,
    unknownEvents: "tested with the wakes by Queues",
  },
  open: (options) => openFixture(byQueue(USUAL_MS), options),
});
