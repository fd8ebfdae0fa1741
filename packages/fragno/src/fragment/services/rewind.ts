/** Rewinds a run to a step in any transaction, by `core/decide/rewind.ts` and the store's own statements. */
import type { TxResult } from "@fragno-dev/db";
import {
  type EpochMs,
  EVENT,
  type InstanceRecord,
  type InstanceRef,
  parseRetryFrom,
  parseRewind,
  mismatchOf,
  planRewind,
  repetitionOf,
  REWIND,
  type RewindDemand,
  type RewindOptions,
  type RetryFromInput,
  type Rewinding,
  toCommanded,
  toInstanceView,
  toRewindBatch,
  toRewindError,
  type Transition,
} from "@escapement/engine/internal";
import type { InstanceStatus } from "@escapement/engine";
import { readStep, readStepWithoutResult } from "../rows.ts";
import {
  currentRun,
  findInstance,
  findOf,
  only,
  parseRef,
  requireInstance,
} from "./find-instance.ts";
import { type Found, type ServiceScope, toServiceCall, type WriteUow } from "./operation.ts";
import { writeOwnStatements } from "./own-statements.ts";

/** Arguments with a step, and options. */
export type OfStep<TOptions> = readonly [
  workflowName: string,
  instanceId: string,
  stepKey: string,
  options?: TOptions,
];

interface Rewound {
  readonly after: InstanceRecord;
  /** null: an earlier call with the same key has done it. */
  readonly transition: Transition | null;
}

export function rewindInstance(
  scope: ServiceScope,
  ...[workflowName, instanceId, stepKey, options = {}]: OfStep<RewindOptions>
): TxResult<InstanceStatus> {
  const { host } = scope;
  const ref = parseRef(host, workflowName, instanceId);
  const asked = { ...options, id: instanceId, stepKey };
  return rewindTo(scope, parseRewind(host.context.limits, ref.workflowName, asked));
}

export function retryFrom(
  scope: ServiceScope,
  workflowName: string,
  asked: RetryFromInput,
): TxResult<InstanceStatus> {
  const { host } = scope;
  const ref = parseRef(host, workflowName, asked.id);
  return rewindTo(scope, parseRetryFrom(host.context.limits, ref.workflowName, asked));
}

function rewindTo(scope: ServiceScope, demand: Rewinding): TxResult<InstanceStatus> {
  const { host } = scope;
  const { workflowName, instanceId } = demand;
  const ref = { workflowName, instanceId };
  return toServiceCall(scope, {
    find: (uow) => findRewindable(findInstance(uow, demand), demand),
    decide: (found) => decideRewind(found, { ...demand, now: host.context.host.now() }),
    write: (uow, { transition }) => {
      if (transition === null) return;
      const { newId } = host.context.host;
      const request = { ...demand, taskRowId: newId(), eventRowId: newId() };
      writeOwnStatements(host, uow, {
        batch: toRewindBatch(host.dialect, request),
        isDone: `exists (select 1 from ${EVENT} where "id" = ${host.dialect.param(1)})`,
        parameters: [request.eventRowId],
      });
    },
    dues: ({ transition }) =>
      transition?.task === "enqueue" ? [{ ...ref, reason: "resume", start: null }] : [],
    answer: ({ after }) => toInstanceView(after).details,
  });
}

/** Queues the reads of a run's steps, with results, which may be long, only for loops. */
export function findRewindable(uow: WriteUow, ref: InstanceRef): WriteUow {
  const find = (before: WriteUow, isLoop: boolean): WriteUow =>
    findOf(before, "workflow_step", ref, {
      by: "unique_step",
      where: (is) => [
        is("runNumber", "=", currentRun(ref)),
        is("type", isLoop ? "=" : "!=", "loop"),
      ],
      refine: isLoop ? only(...COLUMNS, "result") : only(...COLUMNS),
    });
  return find(find(uow, false), true);
}

const COLUMNS = ["id", "stepKey", "type", "settledOrder"];

/** @throws {WorkflowError} INSTANCE_NOT_FOUND, and why the run cannot be rewound */
function decideRewind(found: Found, demand: Rewinding & { readonly now: EpochMs }): Rewound {
  const before = requireInstance(found[0], demand);
  const { record } = before;
  const repetition = repetitionOf(before, demand);
  if (repetition === "keyConflict")
    throw toRewindError({ kind: repetition, instance: record }, demand);
  if (repetition === "repeated") return { after: record, transition: null };
  assertRewindable(record, found.slice(1), demand);
  const transition = REWIND.transitions[record.status] ?? null;
  if (transition === null) return { after: record, transition };
  const { now } = demand;
  return { after: toCommanded(record, { rule: REWIND, transition, now }), transition };
}

/** @param found rows of `findRewindable` @throws {WorkflowError} like `EngineService.rewind`, about the instance */
export function assertRewindable(
  instance: InstanceRecord,
  [steps = [], loops = []]: Found,
  demand: RewindDemand & Partial<Pick<Rewinding, "keepsKeys">>,
): void {
  const all = [...steps.map(readStepWithoutResult), ...loops.map(readStep)];
  const planned = mismatchOf(instance, demand) ?? planRewind(instance, all, demand.stepKey);
  if (typeof planned === "string") throw toRewindError({ kind: planned, instance }, demand);
}
