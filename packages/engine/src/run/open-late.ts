/** Opens calls of steps whose code is loaded when a run first calls one. */
import type { Late } from "../core/late.ts";
import type { StepType } from "../core/model/status.ts";
import type { Identified } from "./identify.ts";
import { callAhead, type CallingAt } from "./open-prepared.ts";

/** The kind of a call, and its code. */
interface LateKind<T> {
  readonly type: StepType;
  readonly name: string;
  readonly code: Late<T>;
  /** @param called its name; or the step, if its key was found before */
  readonly openBy: (code: T, called: string | Identified) => Promise<unknown>;
}

/** Nothing is told or decided while the code is loaded, and the call keeps its place among the others. */
export function openLate<T extends object>(
  at: CallingAt,
  { type, name, code, openBy }: LateKind<T>,
): Promise<unknown> {
  const known = code();
  if (!(known instanceof Promise)) return openBy(known, name);
  const { session } = at;
  return callAhead(at, { type, name, isReserved: true }, ({ identified, outcome }) =>
    session.code.with(code, (loaded) => {
      // The lease may have been lost while the code was loaded.
      if (session.isOver) return;
      outcome.follow(openBy(loaded, identified));
      session.calls.unreserve(identified.stepKey);
    }),
  );
}
