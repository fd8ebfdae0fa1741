/** @module What `sendEvent` does differently for an event that is for one wait. Loaded with the first of them. */
import type { Dialect } from "@escapement/db/client";
import { decideCallback } from "../../core/decide/callback.ts";
import { enclosingKeys, hasLeft, type ScopeRow } from "../../core/enclosing-scopes.ts";
import type { CallbackTarget, EventRefused, SendEventRequest } from "../../ports/send-event.ts";
import type { Query } from "./rows.ts";
import { findCallback, findScopes, insertCallback } from "./statements/send-callback.ts";

/** What the database has for the wait. Some drivers return numbers as text. */
export interface FoundCallbackRow {
  /** 1: the event of this call; 0: another event; null: there is none. */
  readonly isMine: number | string | null;
  readonly isDelivered: number | string;
  readonly isOpen: number | string;
}

/** Statements in the batch of `sendEvent`, instead of and in addition to those for other events. */
export interface CallbackStatements {
  readonly inserted: Query<never>;
  readonly target: Query<FoundCallbackRow>;
  readonly scopes: Query<ScopeRow> | null;
}

/** @param values of `insertEvent` */
export function toCallbackStatements(
  dialect: Dialect,
  request: SendEventRequest & { readonly callback: CallbackTarget },
  values: Query<never>["values"],
): CallbackStatements {
  const { workflowName, instanceId, eventRowId, eventId, callback } = request;
  const { runNumber, stepKey } = callback;
  const instance = [workflowName, instanceId] as const;
  const around = enclosingKeys(stepKey).map((key) => ({ stepKey: key }));
  return {
    inserted: { text: insertCallback(dialect), values: [...values, runNumber, stepKey] },
    target: {
      text: findCallback(dialect),
      values: [...instance, eventRowId, runNumber, stepKey, eventId],
    },
    scopes:
      around.length === 0
        ? null
        : { text: findScopes(dialect), values: [...instance, runNumber, JSON.stringify(around)] },
  };
}

/**
 * Says why the event was refused; null: it was stored for its wait. Once something has gone past the wait, it never goes back,
 * so even if the event was stored, nothing takes it.
 */
export function toCallbackRefusal(
  { stepKey }: CallbackTarget,
  found: FoundCallbackRow,
  scopes: readonly ScopeRow[],
): EventRefused["kind"] | null {
  const { isMine } = found;
  const verdict = decideCallback({
    event:
      isMine === null
        ? null
        : { isMine: Number(isMine) === 1, isDelivered: Number(found.isDelivered) === 1 },
    isOpen: Number(found.isOpen) === 1,
    isLeft: hasLeft(stepKey, scopes),
  });
  if (verdict === "stored") return null;
  return verdict === "open" ? "eventLimit" : verdict;
}
