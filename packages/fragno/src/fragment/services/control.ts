/** Pause, resume, cancel, terminate, restart and retry in anybody's transaction, by the table of `core/decide/lifecycle.ts`. */
import type { TxResult } from "@fragno-dev/db";
import {
  type ControlOptions,
  type ControlRequest,
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
  runNumberMismatch,
  type StoreCommand,
  terminal,
  toEndRequest,
  toInstanceView,
  toStartsAt,
  type Transition,
  type When,
} from "@escapement/engine/internal";
import type { InstanceStatus } from "@escapement/engine";
import type { FragmentHost } from "../fragment-host.ts";
import type { FragnoRow } from "../rows.ts";
import { newTask } from "./create.ts";
import {
  findInstance,
  findTasks,
  type FoundInstance,
  parseRef,
  requireInstance,
} from "./find-instance.ts";
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
import { type Family, findFamily, hasRelatives, leaveFamily, toFamily } from "./leave-children.ts";
import { findSteps, reopenSteps } from "./reopen.ts";

/** What becomes of an instance. */
export interface Change extends FoundInstance {
  readonly tasks: readonly FragnoRow[];
  /** Of the run, where the command opens some. */
  readonly steps: readonly FragnoRow[];
  /** Where the command ends the run there and then; null: it does not. */
  readonly family: Family | null;
  /** null: the command leaves an instance of this status alone. */
  readonly transition: Transition | null;
  readonly after: InstanceRecord;
  /** When the run is due that is made due; null: at once. */
  readonly start: When | null;
}

/** The same of one that changes. */
export type Decided = Change & { readonly transition: Transition };

/** A command and what it demands. */
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
      const found = findTasks(findInstance(uow, parsed), parsed);
      if (leavesChildren(command)) return findFamily(found, parsed);
      return run === "reopened" ? findSteps(found, parsed) : found;
    },
    decide: (found) => decideChange(found, parsed, { ...demand, now: host.context.host.now() }),
    write: (uow, change) => {
      if (change.transition === null) return;
      writeChange(host, uow, { ...change, transition: change.transition, demand });
      if (change.transition.task === "enqueue")
        fileHook(host, uow, { ...parsed, reason }, change.start);
    },
    answer: ({ after }) => toInstanceView(after).details,
    committed: ({ transition, start, family }) => {
      if (transition !== null && family !== null && hasRelatives(family))
        wake(host, { ...parsed, reason: "resume" });
      if (transition?.task === "enqueue") wake(host, { ...parsed, reason }, start);
    },
  });
}

/**
 * Decides a command.
 *
 * @param now by the process's clock, for what the answer shows: what is written is the database's to say
 * @throws {WorkflowError} what it is refused with
 */
export function decideChange(
  [instances, tasks = [], ...others]: Found,
  ref: InstanceRef,
  { command, ifRunNumber, controlKey, now }: Demand & { readonly now: EpochMs },
): Change {
  const { row, record } = requireInstance(instances, ref);
  const rule = LIFECYCLE[command];
  const family = leavesChildren(command) ? toFamily(others) : null;
  const steps = family === null ? (others[0] ?? []) : [];
  const found = { row, record, tasks, steps, family };
  const unchanged = { ...found, transition: null, after: record, start: null };
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
  return { ...found, transition, after, start };
}

/** Whether it is to end, and does not wait for its start to do so. */
const isAskedBeforeStart = ({ asks }: LifecycleRule, record: InstanceRecord): boolean =>
  asks !== null && toStartsAt(record) !== null;

/** Queues the writes of a command. @param change.said columns of the new run; absent: as they are */
export function writeChange(
  host: FragmentHost,
  uow: WriteUow,
  change: Decided & { readonly demand: Demand; readonly said?: Readonly<Record<string, unknown>> },
): void {
  const { row, record, tasks, steps, family, transition, after, demand, start } = change;
  const { command, controlKey } = demand;
  const now = host.sql.now();
  for (const task of tasks) {
    if (transition.task !== "keep") uow.delete("workflow_task", task.id, (build) => build.check());
    else uow.update("workflow_task", task.id, (update) => update.set({ updatedAt: now }).check());
  }
  if (family !== null)
    for (const run of leaveFamily(host, uow, { record, command, family }))
      fileHook(host, uow, { ...run, reason: "resume" });
  const delayMs = start !== null && "inMs" in start ? start.inMs : 0;
  if (LIFECYCLE[command].run === "reopened")
    reopenSteps(host, uow, { error: record.error, steps, delayMs });
  uow.update("workflow_instance", row.id, (update) =>
    update
      .set({
        ...toColumns(change, command, now),
        ...toKeptDeadline(host, change, command),
        ...(isAskedBeforeStart(LIFECYCLE[command], record) ? { startedAt: null } : {}),
        ...(controlKey === null ? {} : { controlKey }),
        ...change.said,
        updatedAt: now,
      })
      .check(),
  );
  if (isTerminal(after.status)) fileEnd(host, uow, { row, record });
  if (LIFECYCLE[command].run === "new") fileRestart(host, uow, { row, record });
  if (transition.task !== "enqueue") return;
  const { workflowName, instanceId, runNumber } = after;
  const kind = LIFECYCLE[command].taskKind;
  uow.create("workflow_task", {
    ...newTask(host.context.host.newId(), kind),
    workflowName,
    instanceId,
    runNumber,
    runAt: start === null ? now : host.sql.later(start, "now"),
    createdAt: now,
    updatedAt: now,
  });
}

/** A run that begins anew, or goes on after its end, keeps a deadline that is still to come. */
const toKeptDeadline = (
  { sql }: FragmentHost,
  { record: { deadlineAt } }: Change,
  command: StoreCommand,
): Readonly<Record<string, unknown>> =>
  LIFECYCLE[command].run === "same" || deadlineAt === null
    ? {}
    : { deadlineAt: sql.later({ at: deadlineAt }, "null") };

function toColumns(
  { row, after }: Decided,
  command: StoreCommand,
  now: unknown,
): Readonly<Record<string, unknown>> {
  const { run, keys } = LIFECYCLE[command];
  const { status, pauseRequested, endRequested, runNumber } = after;
  const keyNumber = keyNumberOf(row) + (keys === "new" ? 1 : 0);
  const open = {
    completedAt: null,
    output: null,
    errorName: null,
    errorMessage: null,
    errorDetail: null,
    retryCount: null,
  };
  return {
    status,
    pauseRequested,
    endRequested,
    ...(run === "same" ? {} : open),
    ...(run === "new" ? { runNumber, keyNumber, startedAt: null } : {}),
    ...(isTerminal(status) ? { completedAt: now } : {}),
  };
}

/** What stands for the present run in idempotency keys. */
const keyNumberOf = (row: FragnoRow): number => Number(row["keyNumber"] ?? row["runNumber"]);
