/** Pause, resume, terminate and restart in anybody's transaction, by the table of `core/decide/lifecycle.ts`. */
import type { TxResult } from "@fragno-dev/db";
import {
  type ControlOptions,
  type ControlRequest,
  type InstanceRecord,
  type InstanceRef,
  isTerminal,
  LIFECYCLE,
  type LifecycleCommand,
  parseControlOptions,
  runNumberMismatch,
  terminal,
  toInstanceView,
  type Transition,
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
  fileHook,
  type Found,
  type ServiceScope,
  toServiceCall,
  wake,
  type WriteUow,
} from "./operation.ts";

interface Change extends FoundInstance {
  readonly tasks: readonly FragnoRow[];
  /** null: the command leaves an instance of this status alone. */
  readonly transition: Transition | null;
  readonly after: InstanceRecord;
}

/** A command and what it demands. */
type Demand = Pick<ControlRequest, "command" | "ifRunNumber" | "controlKey">;

export function controlInstance(
  scope: ServiceScope,
  ref: InstanceRef,
  { command, ...options }: ControlOptions & { readonly command: LifecycleCommand },
): TxResult<InstanceStatus> {
  const { host } = scope;
  const parsed = parseRef(host, ref.workflowName, ref.instanceId);
  const demand = { command, ...parseControlOptions(command, options) };
  const reason = LIFECYCLE[command].startsNewRun ? "create" : "resume";
  return toServiceCall(scope, {
    find: (uow) => findTasks(findInstance(uow, parsed), parsed),
    decide: (found) => decideChange(found, parsed, demand),
    write: (uow, change) => {
      if (change.transition === null) return;
      writeChange(host, uow, { ...change, transition: change.transition, demand });
      if (change.transition.task === "enqueue") fileHook(host, uow, { ...parsed, reason });
    },
    answer: ({ after }) => toInstanceView(after).details,
    committed: ({ transition }) => {
      if (transition?.task === "enqueue") wake(host, { ...parsed, reason });
    },
  });
}

function decideChange(
  [instances, tasks = []]: Found,
  ref: InstanceRef,
  { command, ifRunNumber, controlKey }: Demand,
): Change {
  const { row, record } = requireInstance(instances, ref);
  const rule = LIFECYCLE[command];
  const unchanged = { row, record, tasks, transition: null, after: record };
  if (controlKey !== null && row["controlKey"] === controlKey) return unchanged;
  if (ifRunNumber !== null && ifRunNumber !== record.runNumber) throw runNumberMismatch(record);
  if (rule.refusedWhenTerminal && isTerminal(record.status)) throw terminal(record);
  const transition = rule.transitions[record.status] ?? null;
  if (transition === null) return unchanged;
  const newRun = { runNumber: record.runNumber + 1, output: null, error: null, diverged: [] };
  const after = {
    ...record,
    ...(rule.startsNewRun ? newRun : {}),
    status: transition.to,
    pauseRequested: transition.pauseRequested,
  };
  return { row, record, tasks, transition, after };
}

function writeChange(
  host: FragmentHost,
  uow: WriteUow,
  change: Change & { readonly transition: Transition; readonly demand: Demand },
): void {
  const { row, tasks, transition, after, demand } = change;
  const { command, controlKey } = demand;
  const now = host.sql.now();
  for (const task of tasks) {
    if (transition.task !== "keep") uow.delete("workflow_task", task.id, (build) => build.check());
    else uow.update("workflow_task", task.id, (update) => update.set({ updatedAt: now }).check());
  }
  uow.update("workflow_instance", row.id, (update) =>
    update
      .set({
        ...toColumns(after, command, now),
        ...(controlKey === null ? {} : { controlKey }),
        updatedAt: now,
      })
      .check(),
  );
  if (transition.task !== "enqueue") return;
  const { workflowName, instanceId, runNumber } = after;
  const kind = LIFECYCLE[command].taskKind;
  uow.create("workflow_task", {
    ...newTask(host.context.host.newId(), kind),
    workflowName,
    instanceId,
    runNumber,
    runAt: now,
    createdAt: now,
    updatedAt: now,
  });
}

function toColumns(
  { status, pauseRequested, runNumber }: InstanceRecord,
  command: LifecycleCommand,
  now: unknown,
): Readonly<Record<string, unknown>> {
  const newRun = {
    runNumber,
    startedAt: null,
    completedAt: null,
    output: null,
    errorName: null,
    errorMessage: null,
    errorDetail: null,
  };
  return {
    status,
    pauseRequested,
    ...(LIFECYCLE[command].startsNewRun ? newRun : {}),
    ...(isTerminal(status) ? { completedAt: now } : {}),
  };
}
