/** Pause, resume, cancel, terminate, restart and retry in any transaction, by the store's own statements. */
import type { TxResult } from "@fragno-dev/db";
import {
  type ControlOptions,
  type ControlRequest,
  type DurationMs,
  type EpochMs,
  type InstanceRecord,
  type InstanceRef,
  isTerminal,
  keptDeadline,
  leavesChildren,
  LIFECYCLE,
  type LifecycleRule,
  notAfterDeadline,
  notErrored,
  parseControlOptions,
  refusalOf,
  reopenSteps,
  runNumberMismatch,
  type RunRef,
  type StoreCommand,
  terminal,
  toControlBatch,
  toEndRequest,
  toInstanceView,
  toLeavingStatements,
  toStartsAt,
  type Transition,
  type When,
} from "@escapement/engine/internal";
import type { InstanceStatus } from "@escapement/engine";
import type { FragmentHost } from "../fragment-host.ts";
import { findInstance, type FoundInstance, parseRef, requireInstance } from "./find-instance.ts";
import {
  fileEnd,
  fileHook,
  fileRestart,
  type Found,
  type ServiceScope,
  toServiceCall,
  wake,
  type WriteUow,
} from "./operation.ts";
import { type ChangingBatch, writeToInstance } from "./own-statements.ts";
import { findChildren, toWoken } from "./relatives.ts";

/** What happens to an instance. */
export interface Change extends FoundInstance {
  /** Children and the parent that the command may make due. */
  readonly woken: readonly RunRef[];
  /** null: the command leaves an instance with this status alone. */
  readonly transition: Transition | null;
  readonly after: InstanceRecord;
  /** When the run that becomes due is due; null: at once. */
  readonly start: When | null;
}

/** The same, for an instance that changes. */
export type Decided = Change & { readonly transition: Transition };

/** A command and its preconditions. */
export type Demand = Pick<ControlRequest, "command" | "ifRunNumber" | "controlKey">;

export function controlInstance(
  scope: ServiceScope,
  ref: InstanceRef,
  { command, ...options }: ControlOptions & { readonly command: StoreCommand },
): TxResult<InstanceStatus> {
  const { host } = scope;
  const parsed = parseRef(host, ref.workflowName, ref.instanceId);
  const demand = { command, ...parseControlOptions(command, options) };
  const { run } = LIFECYCLE[command];
  const reason = run === "new" ? "create" : "resume";
  return toServiceCall(scope, {
    find: (uow) => {
      const found = findInstance(uow, parsed);
      return leavesChildren(command) ? findChildren(found, parsed) : found;
    },
    decide: (found) => decideChange(found, parsed, { ...demand, now: host.context.host.now() }),
    write: (uow, change) => {
      if (change.transition === null) return;
      const { transition } = change;
      const taskRowId = host.context.host.newId();
      const batch = toCommandBatch(host, parsed, { demand, taskRowId });
      writeChange(host, uow, { ...change, transition, command }, batch);
      if (transition.task === "enqueue") fileHook(host, uow, { ...parsed, reason }, change.start);
    },
    answer: ({ after }) => toInstanceView(after).details,
    committed: ({ transition, start, woken }) => {
      if (woken.length > 0) wake(host, { ...parsed, reason: "resume" });
      if (transition?.task === "enqueue") wake(host, { ...parsed, reason }, start);
    },
  });
}

/**
 * Decides a command.
 *
 * @param now by the process's clock, for what the answer shows; the database decides what is written
 * @throws {WorkflowError} the reason why it is refused
 */
export function decideChange(
  [instances, ...relatives]: Found,
  ref: InstanceRef,
  { command, ifRunNumber, controlKey, now }: Demand & { readonly now: EpochMs },
): Change {
  const { row, record } = requireInstance(instances, ref);
  const rule = LIFECYCLE[command];
  const unchanged = { row, record, woken: [], transition: null, after: record, start: null };
  if (controlKey !== null && row["controlKey"] === controlKey) return unchanged;
  if (ifRunNumber !== null && ifRunNumber !== record.runNumber) throw runNumberMismatch(record);
  const refused = refusalOf(rule, record);
  if (refused !== null) throw refused === "terminal" ? terminal(record) : notErrored(record);
  const transition = rule.transitions[record.status] ?? null;
  if (transition === null) return unchanged;
  const open = { output: null, error: null, diverged: [], retryCount: 0 };
  const newRun = { ...open, runNumber: record.runNumber + 1, startedAt: null };
  const after = {
    ...record,
    ...(rule.run === "same" ? {} : rule.run === "new" ? newRun : open),
    ...(rule.run === "same" ? {} : { deadlineAt: keptDeadline(record, now) }),
    status: transition.to,
    pauseRequested: transition.pauseRequested,
    endRequested: toEndRequest(rule, record.endRequested),
    ...(isAskedBeforeStart(rule, record) ? { startedAt: null } : {}),
  };
  const at = rule.run === "new" || rule.asks !== null ? null : toStartsAt(record);
  const start = at === null ? null : { at: notAfterDeadline(at, record) };
  const woken = leavesChildren(command) ? toWoken(relatives, record, command) : [];
  return { row, record, woken, transition, after, start };
}

/** Whether it ends without waiting for its start. */
const isAskedBeforeStart = ({ asks }: LifecycleRule, record: InstanceRecord): boolean =>
  asks !== null && toStartsAt(record) !== null;

/** The store's statements for a command. @param of.delayMs the delay after which a run with reopened steps continues */
export function toCommandBatch(
  { texts }: FragmentHost,
  ref: InstanceRef,
  { demand, taskRowId, delayMs = 0 }: CommandIds,
): ReturnType<typeof toControlBatch> {
  const { command } = demand;
  const isReopening = LIFECYCLE[command].run === "reopened";
  return toControlBatch(
    texts,
    { ...ref, ...demand, taskRowId },
    {
      leaving: leavesChildren(command) ? { toLeavingStatements } : null,
      reopening: isReopening ? { reopenSteps: (dialect) => reopenSteps(dialect, delayMs) } : null,
    },
  );
}

interface CommandIds {
  readonly demand: Demand;
  readonly taskRowId: string;
  readonly delayMs?: DurationMs;
}

/** Queues the writes of a command, and the hooks that it files. */
export function writeChange(
  host: FragmentHost,
  uow: WriteUow,
  { row, record, woken, after, command }: Decided & Pick<Demand, "command">,
  batch: ChangingBatch,
): void {
  writeToInstance(host, uow, row, batch);
  for (const run of woken) fileHook(host, uow, { ...run, reason: "resume" });
  if (isTerminal(after.status)) fileEnd(host, uow, { row, record });
  if (LIFECYCLE[command].run === "new") fileRestart(host, uow, { row, record });
}
