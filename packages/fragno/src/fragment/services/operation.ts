/** The parts of a service call, and their conversion to one of Fragno's. */
import type { TxResult } from "@fragno-dev/db";
import type { DatabaseServiceContext } from "@fragno-dev/db/fragment-definition-builder";
import type { AnySchema } from "@fragno-dev/db/schema";
import type { TypedUnitOfWork } from "@fragno-dev/db/unit-of-work";
import { type InstanceRecord, instanceKey, type When } from "@escapement/engine/internal";
import { dbNow } from "../../adapter/db-now.ts";
import type { WorkflowEnqueued } from "../config.ts";
import { inFragnosForm } from "../errors.ts";
import type { FragmentHost } from "../fragment-host.ts";
import type { WorkflowsHooks } from "../hooks.ts";
import type { FragnoRow } from "../rows.ts";
import { toTerminated } from "../end-hooks.ts";

/** A service call's transaction before it begins. */
export type ServiceTx = ReturnType<DatabaseServiceContext<WorkflowsHooks>["serviceTx"]>;

/** A unit of work in which finds and mutations are queued. */
export type WriteUow = TypedUnitOfWork<AnySchema, [], unknown, WorkflowsHooks>;
/** Rows of each find, in order. */
export type Found = readonly (readonly FragnoRow[])[];

/** A call that is committed together with the transaction that it is part of. */
export interface Operation<State, Result> {
  /** Queues the reads; absent: there are none, which saves the trip. */
  readonly find?: (uow: WriteUow) => WriteUow;
  /** Decides what to do. @throws {WorkflowError} ends the transaction */
  readonly decide: (found: Found) => State;
  readonly write?: (uow: WriteUow, state: State) => void;
  /** Runs that become due: their hooks are filed after the writes, and they are told after the commit. */
  readonly dues?: (state: State) => readonly Due[];
  /** The result for the caller, known before the commit. */
  readonly answer: (state: State) => Result;
  /** Called once, after the commit. */
  readonly committed?: (state: State) => void;
}

/** A run that becomes due. */
export interface Due extends WorkflowEnqueued {
  /** When, if later; null: at once. */
  readonly start: When | null;
}

export interface ServiceScope {
  readonly host: FragmentHost;
  readonly tx: ServiceTx;
}

/** The operation as a service call of Fragno. */
export function toServiceCall<State, Result>(
  { host, tx }: ServiceScope,
  { find, decide, write, dues = () => [], answer, committed }: Operation<State, Result>,
): TxResult<Result> {
  // Fragno makes a new call for each try of a transaction.
  let decided: { readonly state: State; readonly result: Result };
  return tx
    .retrieve((uow) => find?.(uow) ?? uow)
    .transformRetrieve((found) => {
      decided = inFragnosForm(() => {
        const state = decide(found);
        return { state, result: answer(state) };
      });
      return decided.result;
    })
    .mutate(({ uow }) => {
      write?.(uow, decided.state);
      for (const due of dues(decided.state)) fileHook(host, uow, due);
    })
    .transform(() => {
      tell(host, dues(decided.state));
      committed?.(decided.state);
      return decided.result;
    })
    .build();
}

/** Files the hook, if one is wanted. If the run is due later, our own adapter runs the hook then. */
export function fileHook(host: FragmentHost, uow: WriteUow, { start, ...enqueued }: Due): void {
  if (host.onWorkflowEnqueued === null) return;
  const due = start === null ? {} : { nextRetryAt: toDate(start) };
  // The due time is an option of our own adapter, which the library's types do not know.
  uow.triggerHook("onWorkflowEnqueued", enqueued, due as never);
}

/** Files the hook for a run that a command has ended, if one is wanted. */
export function fileEnd(
  host: FragmentHost,
  uow: WriteUow,
  { row, record }: { readonly row: FragnoRow; readonly record: InstanceRecord },
): void {
  if (host.onWorkflowTerminal === undefined) return;
  const ended = toTerminated(record, row.id.externalId, host.context.host.newId());
  uow.triggerHook("onWorkflowTerminal", ended);
}

/** Files the hook for a run that a command has restarted, if one is wanted. */
export function fileRestart(
  host: FragmentHost,
  uow: WriteUow,
  { row, record }: { readonly row: FragnoRow; readonly record: InstanceRecord },
): void {
  if (host.onWorkflowRestarted === undefined) return;
  const { workflowName, instanceId, runNumber: previousRunNumber } = record;
  const runNumber = previousRunNumber + 1;
  const instanceRef = row.id.externalId;
  uow.triggerHook("onWorkflowRestarted", {
    workflowName,
    instanceId,
    instanceRef,
    previousRunNumber,
    runNumber,
  });
}

const toDate = (start: When): Date => ("at" in start ? new Date(start.at) : dbNow(start.inMs));

/** Notifies this process and the platform after the commit. A tick that begins at once finds out itself what is due later. */
function tell(host: FragmentHost, dues: readonly Due[]): void {
  const atOnce = new Set(dues.filter(({ start }) => start === null).map(instanceKey));
  for (const due of dues) if (due.start === null || !atOnce.has(instanceKey(due))) wake(host, due);
}

/** The distance to an instant is by this process's clock, because the wake is only a hint. */
export function wake(host: FragmentHost, { start, ...enqueued }: Due): void {
  const { context } = host;
  if (start === null) context.wake(enqueued);
  else if ("inMs" in start) context.wake(enqueued, start.inMs);
  else context.wake({ ...enqueued, dueAt: start.at }, Math.max(0, start.at - context.host.now()));
}
