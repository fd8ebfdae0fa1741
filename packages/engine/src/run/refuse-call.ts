/** Refuses calls. The code that does it is loaded with the first of them. */
import { otherOutcomes } from "./late-code.ts";
import type { NamedCall, RefusedCall } from "./deliver-refusal.ts";
import type { Session } from "./session-interface.ts";

/** Tells author code in its turn, and logs it, because author code may not await the call. */
export const refuseCall = (session: Session, refused: RefusedCall): void =>
  session.code.with(otherOutcomes, ({ deliverRefusal }) => deliverRefusal(session, refused));

/** Tells author code and logs it now; see `refuseAtOnce`. */
export const refuseNow = (called: NamedCall, error: unknown): void =>
  called.session.code.with(otherOutcomes, ({ refuseAtOnce }) => refuseAtOnce(called, error));
