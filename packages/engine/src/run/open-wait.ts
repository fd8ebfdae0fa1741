/** Opens `step.waitForEvent`, whose code is loaded when a run first waits for an event. */
import type { WaitForEventOptions } from "../authoring/events.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { late } from "../core/late.ts";
import { type Called, callAhead } from "./open-prepared.ts";

const eventWait = late(() => import("./event-wait.ts"));

/** A wait that author code asks for. */
interface GivenWait extends Pick<Called, "session" | "place" | "open"> {
  readonly workflow: RegisteredWorkflow;
  readonly name: string;
  readonly options: WaitForEventOptions;
}

/** Nothing is told or decided while the code is loaded, and the call has its place among the others meanwhile. */
export function openWait({ workflow, name, options, ...at }: GivenWait): Promise<unknown> {
  const { session, place, open } = at;
  const code = eventWait();
  if (!(code instanceof Promise))
    return open(place, code.createWaitKind(session, workflow), name, options);
  const kind = { type: "waitForEvent", name, isReserved: true } as const;
  return callAhead(at, kind, ({ identified, outcome }) =>
    session.code.with(eventWait, ({ createWaitKind }) => {
      outcome.follow(open(place, createWaitKind(session, workflow), identified, options));
      session.calls.unreserve(identified.stepKey);
    }),
  );
}
