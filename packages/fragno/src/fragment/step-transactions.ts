/** Collects what steps write into fragments' tables. */
import { WorkflowError } from "@escapement/engine";
import {
  type StepTransaction,
  type StepTransactions,
  type StepWrites,
  type TransactingStep,
  transactSteps,
} from "@escapement/engine/internal";
import { collectMutations, prepareTransaction } from "../adapter/collect-mutations.ts";
import type { FragnoAdapter } from "../adapter/adapter.ts";
import type { ServiceCalls, StepTx } from "./step-tx.ts";

/**
 * For the engine's option `stepTransactions`: gives callbacks a `StepTx`.
 *
 * @param adapter on the same `Database` as the engine's SQL store
 */
export const createStepTransactions = (adapter: FragnoAdapter): StepTransactions =>
  transactSteps((step) => new FragnoTransaction(adapter, step));

type Mutation = Parameters<StepTx["mutate"]>[0];

class FragnoTransaction implements StepTransaction {
  readonly members: Pick<StepTx, "mutate" | "serviceCalls" | "emit">;
  readonly #adapter: FragnoAdapter;
  /** The step's key: all of its attempts are tries of one unit of work. */
  readonly #idempotencyKey: string;
  readonly #mutations: Mutation[] = [];
  readonly #serviceCalls: ServiceCalls[] = [];
  #isClosed = false;

  constructor(adapter: FragnoAdapter, { idempotencyKey, progress }: TransactingStep) {
    this.#adapter = adapter;
    this.#idempotencyKey = idempotencyKey;
    this.members = {
      mutate: (collect) => this.#queue(this.#mutations, collect),
      serviceCalls: (calls) => this.#queue(this.#serviceCalls, calls),
      emit: progress,
    };
  }

  async prepare(): Promise<StepWrites | null> {
    this.#isClosed = true;
    if (this.#serviceCalls.length > 0) return this.#prepareServices();
    return this.#mutations.length > 0 ? this.#collect() : null;
  }

  #queue<T>(queue: T[], item: T): void {
    if (this.#isClosed) {
      const message =
        "tx was used after the step's callback had returned; await every use of it in the callback";
      throw new WorkflowError("STEP_TRANSACTION_CLOSED", message);
    }
    queue.push(item);
  }

  /** Nothing is read, so the writes need no trip of their own. */
  #collect(): StepWrites | null {
    const { statements, explain, noteCommit } = collectMutations(
      this.#adapter,
      (context) => this.#mutate(context),
      { idempotencyKey: this.#idempotencyKey },
    );
    if (statements.length === 0) return null;
    return {
      statements,
      explain: (refusal) => (refusal.kind === "rejected" ? null : explain(refusal)),
      complete: async () => noteCommit(),
      abandon: () => undefined,
    };
  }

  async #prepareServices(): Promise<StepWrites | null> {
    const prepared = await prepareTransaction(
      this.#adapter,
      (tx) =>
        tx
          .withServiceCalls(() => this.#serviceCalls.flatMap((calls) => calls()))
          .mutate((context) => this.#mutate(context)),
      { idempotencyKey: this.#idempotencyKey },
    );
    const { statements, explain, complete, abandon } = prepared;
    if (statements.length === 0) {
      await complete([]);
      return null;
    }
    return {
      statements,
      explain: (refusal) => (refusal.kind === "rejected" ? null : explain(refusal)),
      complete,
      abandon,
    };
  }

  #mutate(context: Parameters<Mutation>[0]): void {
    for (const collect of this.#mutations) collect(context);
  }
}
