/** What bodies and author code do to the world, and the record of it. */
import {
  defineWorkflow,
  type StepContext,
  type WorkflowDefinition,
  type WorkflowEvent,
} from "@escapement/engine";
import { playProgram } from "../author.ts";
import type { Bodied, BodyKind, Execution, UndoStart } from "../author-place.ts";
import type { CallbackNode, Program } from "../program.ts";
import type { RunRetriesPlan, Scenario } from "../scenario.ts";
import type { Scheduler } from "../scheduler.ts";
import type { Books } from "./books.ts";
import type { LeaseRecord } from "./facts.ts";
import type { RunRef } from "./engine-types.ts";
import type { Process } from "./process.ts";

/** One time that author code ran. */
export interface ExecutionRecord {
  readonly workflow: string;
  readonly lease: LeaseRecord;
  /** Index of the code that ran. */
  readonly version: number;
  readonly trace: string[];
  /** The time that it was told with each outcome, by step key; before the first by an empty one. */
  readonly instants: (readonly [stepKey: string, at: number])[];
}

/** One time that a body was started. */
export interface BodyStart {
  readonly runId: string;
  readonly key: string;
  readonly at: number;
  readonly lease: LeaseRecord;
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** When it ended by itself; null: it did not. */
  endedAt: number | null;
  /** What it does is done. */
  hasReturned: boolean;
}

/** A callback whose token author code has given away. */
export interface MailedCallback {
  readonly run: RunRef;
  readonly key: string;
  readonly token: string;
  readonly node: CallbackNode;
}

export class World {
  readonly executions: ExecutionRecord[] = [];
  readonly starts: BodyStart[] = [];
  readonly #scheduler: Scheduler;
  readonly #books: Books;
  readonly #startsByStep = new Map<string, BodyStart[]>();
  /** Steps whose body has started in a version that says at most once. */
  readonly #startedForGood = new Set<string>();
  /** Attempts of a step that ended, by run and key. */
  readonly #ends = new Map<string, number>();
  /** How often author code was reached that ends its process. */
  readonly #poisonings = new Map<string, number>();
  /** By run and undone step. */
  readonly #undoKeys = new Map<string, string>();
  /** By run and key. */
  readonly #mailed = new Map<string, MailedCallback>();
  readonly #onMail: (mailed: MailedCallback) => void;

  /** @param onMail called when a token is given away for the first time */
  constructor(scheduler: Scheduler, books: Books, onMail: (mailed: MailedCallback) => void) {
    this.#scheduler = scheduler;
    this.#books = books;
    this.#onMail = onMail;
  }

  startsOf(runId: string, key: string): readonly BodyStart[] {
    return this.#startsByStep.get(`${runId} ${key}`) ?? [];
  }

  /** The workflows of a process, by the code that it has. */
  definitionsFor(
    { workflows, retentionMs }: Pick<Scenario, "workflows" | "retentionMs">,
    process: Process,
  ): readonly WorkflowDefinition[] {
    return workflows.map(({ name, versions, runRetries }) => {
      const version = Math.min(process.version, versions.length - 1);
      const program = versions[version] as Program;
      const again = runRetries === undefined ? {} : { runRetries: toRetries(runRetries) };
      const retention =
        retentionMs === undefined || name === "child" ? {} : { retention: retentionMs };
      return defineWorkflow({ name, ...again, ...retention }, (event, step) => {
        const lease = this.#leaseFor(process, name, event.instanceId);
        if (lease === null) return "no lease";
        const record: ExecutionRecord = { workflow: name, lease, version, trace: [], instants: [] };
        this.executions.push(record);
        return playProgram(program, step, this.#execution(process, event, record));
      });
    });
  }

  /** The lease that a process has begun to work under: the latest that it was told of and has not used. */
  #leaseFor(process: Process, workflow: string, instanceId: string): LeaseRecord | null {
    const prefix = `${workflow}/${instanceId}/`;
    const lease = this.#books.leases.findLast(
      ({ runId, runner, life, isDelivered, isUsed }) =>
        runId.startsWith(prefix) &&
        runner === process.runner &&
        life === process.life &&
        isDelivered &&
        !isUsed,
    );
    if (lease === undefined) {
      this.#books.report("fence", `${prefix} ran without a lease`);
      return null;
    }
    lease.isUsed = true;
    return lease;
  }

  #execution(
    process: Process,
    { instanceId, timestamp }: Pick<WorkflowEvent<unknown>, "instanceId" | "timestamp">,
    record: ExecutionRecord,
  ): Execution {
    const { lease } = record;
    return {
      createdAt: timestamp,
      observe: (entry) => {
        if (process.isAlive) record.trace.push(entry);
      },
      tellTime: (stepKey, at) => {
        if (process.isAlive) record.instants.push([stepKey, at]);
      },
      begins: (kind, { stepKey }) => this.#checkMayBegin(lease, kind, stepKey),
      mail: (node, key, token) => {
        if (process.isAlive) this.#mail(lease, { node, key, token });
      },
      body: (node, context) => this.#body(process, lease, { node, context }),
      undoes: (undo, context) => this.#undoes(lease, undo, context),
      create: async (context) => {
        const start = this.#noteStart(lease, context);
        const id = childIdOf(instanceId, context.stepKey);
        await process.engine.createInstance("child", { id, onExisting: "return" });
        start.endedAt = this.#scheduler.now;
      },
      poison: (name, times) => {
        const key = `${lease.runId} ${name}`;
        const count = this.#poisonings.get(key) ?? 0;
        if (count >= times) return Promise.resolve();
        this.#poisonings.set(key, count + 1);
        process.die();
        return new Promise<void>(() => {});
      },
    };
  }

  async #body(
    process: Process,
    lease: LeaseRecord,
    { node, context }: { readonly node: Bodied; readonly context: StepContext },
  ): Promise<"returns" | "throws" | "hangs"> {
    const key = context.stepKey;
    const stepId = `${lease.runId} ${key}`;
    const once = `${stepId} ${lease.reopenings}`;
    if (node.retries === 0 && this.#startedForGood.has(once))
      this.#books.report(
        "attempts",
        `${lease.runId} ${key} is to run at most once and starts again`,
      );
    if (node.retries === 0) this.#startedForGood.add(once);
    const start = this.#noteStart(lease, context);
    const ends = this.#ends.get(stepId) ?? 0;
    const fails = node.body.fails === null || ends < node.body.fails;
    const end = (): void => void this.#ends.set(stepId, (this.#ends.get(stepId) ?? 0) + 1);
    if (fails && node.body.how === "hang") {
      end();
      return "hangs";
    }
    if (node.body.durationMs > 0) await this.#scheduler.sleep(node.body.durationMs, process);
    start.endedAt = this.#scheduler.now;
    start.hasReturned = !fails;
    end();
    return fails ? "throws" : "returns";
  }

  /** Of a run that is to end nothing begins but what cleans up: shielded steps, or undo steps. */
  #checkMayBegin({ runId, toldToEnd }: LeaseRecord, kind: BodyKind, key: string): void {
    if (toldToEnd === null || kind === "undo") return;
    if ((toldToEnd === "cancel" || toldToEnd === "deadline") && kind === "shielded") return;
    // What a process that died may have done is to be undone: it runs to its end.
    const mayHaveBegun =
      this.startsOf(runId, key).length > 0 || this.#books.started.get(runId)?.has(key) === true;
    if (toldToEnd === "rollback" && kind !== "plain" && mayHaveBegun) return;
    this.#books.report("asked", `${runId} was told of ${toldToEnd}, and ${kind} ${key} begins`);
  }

  /** However often it is tried, and by whom, it is one undo to whoever deduplicates. */
  #undoes(
    { runId, keyNumber }: LeaseRecord,
    { undone, isRight }: UndoStart,
    { stepKey, idempotencyKey }: StepContext,
  ): void {
    if (!isRight) this.#books.report("rollback", `${runId} ${stepKey} was given another result`);
    const id = `${runId} ${keyNumber} ${undone}`;
    const before = this.#undoKeys.get(id) ?? idempotencyKey;
    if (before !== idempotencyKey)
      this.#books.report("rollback", `${runId} ${undone} is undone once more, as ${stepKey}`);
    this.#undoKeys.set(id, before);
  }

  #mail({ runId }: LeaseRecord, mailed: Omit<MailedCallback, "run">): void {
    const id = `${runId} ${mailed.key}`;
    const before = this.#mailed.get(id);
    if (before !== undefined) {
      if (before.token !== mailed.token)
        this.#books.report("callbacks", `${id} has another token than before`);
      return;
    }
    const [workflowName = "", instanceId = "", runNumber] = runId.split("/");
    const run = { workflowName, instanceId, runNumber: Number(runNumber) };
    this.#mailed.set(id, { ...mailed, run });
    this.#onMail({ ...mailed, run });
  }

  #noteStart(lease: LeaseRecord, context: StepContext): BodyStart {
    const { runId } = lease;
    const { stepKey: key, attempt, idempotencyKey } = context;
    const at = this.#scheduler.now;
    const start: BodyStart = {
      runId,
      key,
      at,
      lease,
      attempt,
      idempotencyKey,
      endedAt: null,
      hasReturned: false,
    };
    this.starts.push(start);
    const all = this.#startsByStep.get(`${runId} ${key}`) ?? [];
    all.push(start);
    this.#startsByStep.set(`${runId} ${key}`, all);
    if (lease.settled.has(key))
      this.#books.report("progress", `${runId} ${key} has settled and its body starts again`);
    return start;
  }
}

const toRetries = ({ limit, delayMs: delay }: RunRetriesPlan) =>
  ({ limit, delay, backoff: "constant" }) as const;

/** Id of the instance that a step creates. */
export const childIdOf = (instanceId: string, key: string): string =>
  `${instanceId}-${key.replaceAll(/[^a-zA-Z0-9_-]/gu, "-")}`;
