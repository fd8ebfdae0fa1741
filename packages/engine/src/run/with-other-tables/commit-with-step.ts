/** Steps that wait for the boundary that settles them together with their writes to other tables. */
import { WorkflowError } from "../../core/errors.ts";
import type { OtherTableWrites, StepWrite } from "../../core/model/change.ts";
import type { EventRecord, Settlement } from "../../core/model/records.ts";
import type { StepWrites } from "../../ports/step-transaction.ts";
import type { OtherTableRows, Refusal } from "../../ports/commit.ts";
import type { Committed, RefusedBoundary } from "../boundary-result.ts";
import { toErrorFields } from "../log-errors.ts";
import type { Settling, TransactionSession } from "../other-table-writes.ts";
import { recordError } from "../step-error.ts";
import { restoreChanges } from "./restore-changes.ts";

export interface Pending {
  readonly settling: Settling;
  readonly writes: StepWrites;
  /** Called when the database refused the writes: nothing of this step was committed. */
  readonly onRefused: (error: unknown) => void;
}

interface Carried {
  readonly pending: Pending;
  readonly settled: StepWrite & Settlement;
}

export class CommitWithStep {
  readonly #session: TransactionSession;
  readonly #waiting: Pending[] = [];
  #carried: readonly Carried[] = [];
  /** A shared boundary was refused. Steps are committed one by one until it is clear whose writes were refused. */
  #isOneByOne = false;

  constructor(session: TransactionSession) {
    this.#session = session;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  add(pending: Pending): void {
    this.#waiting.push(pending);
    this.#session.schedule();
  }

  /** Drops a step. False: it is in the commit that is under way. */
  drop(stepKey: string): boolean {
    if (this.#carried.some(({ settled }) => settled.stepKey === stepKey)) return false;
    const index = this.#waiting.findIndex(({ settling }) => settling.step.stepKey === stepKey);
    if (index >= 0) this.#waiting.splice(index, 1)[0]?.writes.abandon();
    return true;
  }

  begin(): readonly OtherTableWrites[] {
    const { order } = this.#session;
    const taken = this.#waiting.splice(0, this.#isOneByOne ? 1 : Infinity);
    if (this.#waiting.length === 0) this.#isOneByOne = false;
    this.#carried = taken.map((pending) => ({
      pending,
      settled: { ...pending.settling.step, ...order.allocate(pending.settling.event?.createdAt) },
    }));
    for (const { settled, pending } of this.#carried) this.#note(settled, pending.settling.event);
    const [first] = this.#carried;
    // Steps that settle while the commit is under way come after it on every replay, so they must come after it now.
    if (first !== undefined) order.hold(first.settled.settledOrder);
    return this.#carried.map(({ settled: { stepKey }, pending: { writes } }) => ({
      kind: "otherTables",
      stepKey,
      statements: writes.statements,
    }));
  }

  finish(result: Committed | RefusedBoundary): void {
    const carried = this.#carried;
    this.#carried = [];
    if (result.kind === "refused") this.#withdraw(carried, result);
    else
      for (const [one, rows] of withRows(carried, result.otherTableRows ?? []))
        this.#tell(one, rows);
    this.#session.order.hold(Infinity);
  }

  #note(step: StepWrite, event: EventRecord | undefined): void {
    const { pending } = this.#session;
    pending.add(step);
    if (event !== undefined) pending.others?.consume(event, step.stepKey);
  }

  #tell({ pending, settled }: Carried, rows: OtherTableRows): void {
    this.#session.tell(pending.settling, settled);
    pending.writes.complete(rows).catch((error: unknown) => {
      const record = recordError(error, this.#session.context.redactError);
      const fields = { stepKey: settled.stepKey, ...toErrorFields(record) };
      this.#session.warn("step.after_commit_failed", fields);
    });
  }

  #withdraw(carried: readonly Carried[], { refusal, changes }: RefusedBoundary): void {
    const stepKeys = new Set(carried.map(({ settled }) => settled.stepKey));
    restoreChanges(this.#session.pending, changes, stepKeys);
    const [first, ...others] = carried;
    if (first === undefined) return;
    if (others.length > 0) {
      this.#isOneByOne = true;
      this.#waiting.unshift(...carried.map(({ pending }) => pending));
      return;
    }
    const { writes, onRefused } = first.pending;
    writes.abandon();
    onRefused(toError(writes, refusal));
  }
}

function withRows(
  carried: readonly Carried[],
  rows: OtherTableRows,
): readonly (readonly [Carried, OtherTableRows])[] {
  let from = 0;
  return carried.map((one) => {
    const count = one.pending.writes.statements.length;
    const own = rows.slice(from, from + count);
    from += count;
    return [one, own];
  });
}

function toError(writes: StepWrites, refusal: Refusal): unknown {
  const error = writes.explain(refusal);
  if (error !== null) return error;
  if (refusal.kind === "rejected") return refusal.error;
  const details = { ...refusal };
  return new WorkflowError(
    "STEP_FAILED",
    `the database refused the step's writes: ${JSON.stringify(details)}`,
    details,
  );
}
