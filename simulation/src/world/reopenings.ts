/**
 * What calls do that bring a run back to one of its steps, copy it, or let a failed one go on. What must stay and what must go is
 * told from the rows before the call, by the order in which they had settled; the rows after it are compared.
 */
import { isDeepStrictEqual } from "node:util";
import type { EventRecord, InstanceRecord, RunRef, StepRecord } from "./engine-types.ts";
import { runIdOf, SCOPE_TYPES } from "./facts.ts";
import type { StoreCall } from "./network.ts";
import type { Watched } from "./watched.ts";

/** All that is stored of an instance's present run. */
interface Rows {
  readonly instance: InstanceRecord;
  readonly steps: readonly StepRecord[];
  readonly events: readonly EventRecord[];
}

interface Parts extends Watched {
  /** A run was brought back, and has these steps. */
  readonly brought: (runId: string, steps: ReadonlySet<string>) => Promise<void>;
}

type Request = {
  readonly workflowName: string;
  readonly instanceId: string;
  readonly command?: string;
  readonly stepKey?: string;
  readonly eventRowId?: string;
  readonly keepsKeys?: boolean;
  readonly create?: { readonly instanceId: string };
};

export class Reopenings {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Looks at an instance before a call. @returns what looks at it afterwards */
  async watch({ verb, parameters }: StoreCall): Promise<(answer: unknown) => Promise<void>> {
    const request = parameters[0] as Request;
    const isRetry = verb === "control" && request.command === "retry";
    const isWatched = isRetry || verb === "rewind" || verb === "fork";
    const before = isWatched ? await this.#read(request) : null;
    if (before === null) return async () => {};
    return async (answer) => {
      const after = await this.#read(request);
      if (after === null) return;
      const isApplied = (answer as { readonly kind: string }).kind !== "refused";
      if (verb === "fork") return this.#checkFork(request, { before, after, answer });
      if (isRetry) return this.#checkRetry(before, after);
      if (isApplied) await this.#checkRewind(request, before, after);
    };
  }

  async #read({ workflowName, instanceId }: Request): Promise<Rows | null> {
    const { subject } = this.#parts;
    const instance = await subject.store.loadInstance(workflowName, instanceId);
    if (instance === null) return null;
    const { runNumber } = instance;
    const page = { pageSize: 1000, stepsAfter: null, eventsAfter: null };
    const run: RunRef = { workflowName, instanceId, runNumber };
    const { steps, events } = await subject.store.loadHistory({ ...run, ...page });
    return { instance, steps: steps.items, events: events.items };
  }

  async #checkRewind(
    { stepKey = "", eventRowId, keepsKeys = false }: Request,
    before: Rows,
    after: Rows,
  ): Promise<void> {
    const { books, scheduler } = this.#parts;
    const runId = runIdOf(before.instance);
    const isNew = ({ id }: EventRecord): boolean => id === eventRowId;
    if (before.events.some(isNew) || !after.events.some(isNew)) {
      if (!isDeepStrictEqual(before, after))
        books.report("rewind", `${runId} was not brought back, and is not as it was`);
      return;
    }
    const from = pointOf(before.steps, stepKey);
    this.#checkKept(`${runId} brought back to ${stepKey}`, { before, after, from, keepsKeys });
    const kept = new Set(after.steps.filter(isSettled).map((step) => step.stepKey));
    const isBehind = createBehind(before, after);
    for (const { id, type, consumedByStepKey: key } of before.events) {
      if (key === null) continue;
      const now = after.events.find((event) => event.id === id);
      const isBack = now?.consumedByStepKey === null && now.deliveredAt === null;
      if (isBack === (kept.has(key) || isBehind(key)))
        books.report("rewind", `${runId} ${type} of ${key} is ${isBack ? "" : "not "}back`);
    }
    const goes = ({ stepKey: key }: { readonly stepKey: string }): boolean =>
      !kept.has(key) && !isBehind(key);
    books.reopened(runId, { goes, at: scheduler.now });
    if (!keepsKeys) books.newKeys(runId);
    const waiting = after.steps.filter((step) => !isNumber(step));
    await this.#parts.brought(runId, new Set(waiting.map((step) => step.stepKey)));
  }

  /** What settled before the point is there as it was, and nothing else but loops that go on at their position. */
  #checkKept(
    what: string,
    {
      before,
      after,
      from,
      keepsKeys = false,
    }: {
      readonly before: Rows;
      readonly after: Rows;
      readonly from: number;
      readonly keepsKeys?: boolean;
    },
  ): void {
    const { books } = this.#parts;
    const there = new Map(after.steps.map((step) => [step.stepKey, step]));
    for (const step of before.steps) {
      const now = there.get(step.stepKey);
      const isKept = (step.settledOrder ?? Infinity) < from;
      if (isKept && !isSame(step, now))
        books.report("rewind", `${what}: ${step.stepKey} is not kept`);
      const isLeft = now !== undefined && (isOpenLoop(now) || (keepsKeys && isNumber(now)));
      if (!isKept && now !== undefined && !isLeft)
        books.report("rewind", `${what}: ${step.stepKey} is still there, ${now.status}`);
    }
    if (there.size > before.steps.length) books.report("rewind", `${what}: there are more steps`);
  }

  async #checkFork(
    { stepKey = "", create, workflowName }: Request,
    {
      before,
      after,
      answer,
    }: { readonly before: Rows; readonly after: Rows; readonly answer: unknown },
  ): Promise<void> {
    const { books } = this.#parts;
    if (!isDeepStrictEqual(before, after))
      books.report("fork", `${runIdOf(before.instance)} was forked, and is not as it was`);
    const { kind } = answer as { readonly kind: string };
    const instanceId = create?.instanceId ?? "";
    const fork = await this.#read({ workflowName, instanceId });
    if (kind !== "created" || fork === null) return;
    const runId = runIdOf(fork.instance);
    // The call came before.
    if (books.copied.has(runId)) return;
    const from = pointOf(before.steps, stepKey);
    this.#checkKept(`${runId} forked at ${stepKey}`, { before, after: fork, from });
    if (fork.events.length > 0) books.report("fork", `${runId} begins with events`);
    const kept = new Set(fork.steps.filter(isSettled).map((step) => step.stepKey));
    const isBehind = createBehind(before, fork);
    const stays = (key: string): boolean => kept.has(key) || isBehind(key);
    books.copy(runIdOf(before.instance), runId, (step) => stays(step.stepKey));
  }

  /** Nothing that completed is open again, but for scopes. */
  #checkRetry(before: Rows, after: Rows): void {
    const { books, scheduler } = this.#parts;
    const runId = runIdOf(before.instance);
    const isApplied = before.instance.status === "errored" && after.instance.status === "queued";
    if (!isApplied) return;
    const there = new Map(after.steps.map((step) => [step.stepKey, step]));
    const reopened = new Set<string>();
    for (const step of before.steps) {
      const now = there.get(step.stepKey);
      if (now === undefined) books.report("retry", `${runId} ${step.stepKey} is gone`);
      if (step.settledOrder === null || now?.settledOrder === step.settledOrder) continue;
      reopened.add(step.stepKey);
      if (step.status === "completed" && !SCOPE_TYPES.has(step.type))
        books.report("retry", `${runId} ${step.stepKey} had completed and is ${now?.status}`);
    }
    if (!isDeepStrictEqual(before.events, after.events))
      books.report("retry", `${runId} has other events than before`);
    const goes = ({ stepKey }: { readonly stepKey: string }): boolean => reopened.has(stepKey);
    const settled = before.steps.filter(isSettled).toSorted(bySettledOrder);
    // What failed beside it may have let other branches go on: their steps are told when they are called again.
    const isAmongOthers = settled.findIndex(goes) < settled.findLastIndex((step) => !goes(step));
    // And what author code had caught elsewhere since is open beside what it had called then.
    const failures = settled.filter((step) => goes(step) && hasFailed(step));
    if (isAmongOthers || failures.length > 1) books.disordered.add(runId);
    books.reopened(runId, { goes, at: scheduler.now });
  }
}

const isSettled = ({ settledOrder }: StepRecord): boolean => settledOrder !== null;

const bySettledOrder = (a: StepRecord, b: StepRecord): number =>
  (a.settledOrder ?? 0) - (b.settledOrder ?? 0);

/** Whether a step stands in an iteration whose rows a loop has removed, and the loop goes on behind it. */
function createBehind(before: Rows, after: Rows): (stepKey: string) => boolean {
  const loops = after.steps.filter(({ type }) => type === "loop").map((step) => step.stepKey);
  const rows = new Set(before.steps.map((step) => step.stepKey));
  return (key) => !rows.has(key) && loops.some((loop) => key.startsWith(`${loop}/`));
}

/** It came to a failure of its own, and was not closed by the end of its branch or run. */
const hasFailed = ({ type, status, error }: StepRecord): boolean =>
  status === "errored" &&
  !SCOPE_TYPES.has(type) &&
  !["STEP_NOT_AWAITED", "SCOPE_CLOSED"].includes(error?.code ?? "");

/** The order from which on steps go: that of the step, or of a scope around it that had settled before. */
function pointOf(steps: readonly StepRecord[], stepKey: string): number {
  const around = steps.filter(
    ({ type, stepKey: key }) => SCOPE_TYPES.has(type) && stepKey.startsWith(`${key}/`),
  );
  const target = steps.filter((step) => step.stepKey === stepKey);
  return Math.min(...[...target, ...around].map(({ settledOrder }) => settledOrder ?? Infinity));
}

const isSame = (step: StepRecord, now: StepRecord | undefined): boolean =>
  now !== undefined &&
  step.settledOrder === now.settledOrder &&
  step.status === now.status &&
  step.result === now.result &&
  isDeepStrictEqual(step.error, now.error);

/** What a retry from a step leaves of one that starts a child. */
const isNumber = ({ type, status }: StepRecord): boolean =>
  type === "invoke" && status === "pending";

const isOpenLoop = ({ type, settledOrder, result }: StepRecord): boolean =>
  type === "loop" && settledOrder === null && result !== null;
