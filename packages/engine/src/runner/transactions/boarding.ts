/** Steps that wait for the boundary in which they are settled with their foreign writes. */
import { WorkflowError } from "../../core/errors.ts";
import type { Change, ForeignWrite, StepWrite } from "../../core/model/change.ts";
import type { EventRecord } from "../../core/model/records.ts";
import type { StepWrites } from "../../ports/step-transaction.ts";
import type { ForeignRows, Refusal } from "../../ports/store.ts";
import type { Committed, RefusedBoundary } from "../ledger.ts";
import type { Session } from "../session.ts";
import type { Settling } from "../step-transactions.ts";

export interface Pending {
  readonly settling: Settling;
  readonly writes: StepWrites;
  /** The database refused the writes: nothing of this step was committed. */
  readonly onRefused: (error: unknown) => void;
}

interface Aboard {
  readonly pending: Pending;
  readonly settled: StepWrite & { readonly settledOrder: number };
}

export class Boarding {
  readonly #session: Session;
  readonly #waiting: Pending[] = [];
  #aboard: readonly Aboard[] = [];
  /** A shared boundary was refused: one step after another, until it is clear whose writes it was. */
  #isOneByOne = false;

  constructor(session: Session) {
    this.#session = session;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  add(pending: Pending): void {
    this.#waiting.push(pending);
    this.#session.schedule();
  }

  board(): readonly ForeignWrite[] {
    const { order } = this.#session;
    const taken = this.#waiting.splice(0, this.#isOneByOne ? 1 : Infinity);
    if (this.#waiting.length === 0) this.#isOneByOne = false;
    this.#aboard = taken.map((pending) => {
      const settledOrder = order.allocate();
      return { pending, settled: { ...pending.settling.step, settledOrder } };
    });
    for (const { settled, pending } of this.#aboard) this.#note(settled, pending.settling.event);
    const [first] = this.#aboard;
    // What settles while the commit is under way comes after it on every replay, and so it must now.
    if (first !== undefined) order.hold(first.settled.settledOrder);
    return this.#aboard.map(({ settled: { stepKey }, pending: { writes } }) => ({
      kind: "foreign",
      stepKey,
      statements: writes.statements,
    }));
  }

  land(result: Committed | RefusedBoundary): void {
    const aboard = this.#aboard;
    this.#aboard = [];
    if (result.kind === "refused") this.#takeBack(aboard, result);
    else
      for (const [one, rows] of withRows(aboard, result.foreignRows ?? [])) this.#tell(one, rows);
    this.#session.order.hold(Infinity);
  }

  #note(step: StepWrite, event: EventRecord | undefined): void {
    const { ledger } = this.#session;
    ledger.write(step);
    if (event !== undefined) ledger.consume(event, step.stepKey);
  }

  #tell({ pending, settled }: Aboard, rows: ForeignRows): void {
    this.#session.tell(pending.settling.call, settled, settled.settledOrder);
    pending.writes.complete(rows).catch((error: unknown) => {
      const fields = { stepKey: settled.stepKey, error: String(error) };
      this.#session.warn("step.after_commit_failed", fields);
    });
  }

  #takeBack(aboard: readonly Aboard[], { refusal, changes }: RefusedBoundary): void {
    const stepKeys = new Set(aboard.map(({ settled }) => settled.stepKey));
    for (const change of changes) this.#noteAgain(change, stepKeys);
    const [first, ...others] = aboard;
    if (first === undefined) return;
    if (others.length > 0) {
      this.#isOneByOne = true;
      this.#waiting.unshift(...aboard.map(({ pending }) => pending));
      return;
    }
    const { writes, onRefused } = first.pending;
    writes.abandon();
    onRefused(toError(writes, refusal));
  }

  /** What had waited for the commit besides waits for the next one. */
  #noteAgain(change: Change, aboard: ReadonlySet<string>): void {
    const { ledger } = this.#session;
    if (change.kind === "step" && !aboard.has(change.step.stepKey)) {
      if (!ledger.isNoted(change.step.stepKey)) ledger.write(change.step);
    } else if (change.kind === "eventConsumed" && !aboard.has(change.stepKey)) {
      ledger.consume({ id: change.eventId }, change.stepKey);
    }
  }
}

function withRows(
  aboard: readonly Aboard[],
  rows: ForeignRows,
): readonly (readonly [Aboard, ForeignRows])[] {
  let from = 0;
  return aboard.map((one) => {
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
