/** What author code has called last and not awaited. */
import type { StepType } from "../core/model/status.ts";
import type { Session } from "./session.ts";

/** Their outcome comes with their call, and tells others more than author code. */
const TOLD: ReadonlySet<StepType> = new Set(["progress", "emit"]);

/** Author code is done: what it has told and not awaited goes with the commit that is due anyway. Never rejects. */
export async function settleLast(session: Session): Promise<void> {
  const { scopes, calls, known } = session;
  await scopes.openTold();
  // A replay of a rollback settles nothing but what undoes.
  if (session.isOver || known.endRequested === "rollback") return;
  for (const call of calls.undecided) {
    if (!TOLD.has(call.type)) continue;
    const decision = call.decide();
    if (decision.kind === "settle") session.settle({ call, ...decision });
  }
}
