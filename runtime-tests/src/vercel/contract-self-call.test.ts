/** The adapter contract without a queue: what does not fit into an invocation is handed over by a call of the tick route. */
import { describeAdapterContract } from "@escapement/adapter-contract";
import { BY_SELF_CALL, openFixture } from "./contract-fixture.ts";

describeAdapterContract({
  name: "Vercel, handed over by a call of its own",
  skip: null,
  capabilities: {
    invocations: true,
    deadlines: true,
    exactWakes: "without a queue there are none: a tick lingers for 5 s, then it is the cron's",
    faults: true,
    clockSkew: "a call is signed by the process clock, and refused when that is off: tested there",
    unknownEvents: "only the queue delivers more than requests",
  },
  open: (options) => openFixture(BY_SELF_CALL, options),
});
