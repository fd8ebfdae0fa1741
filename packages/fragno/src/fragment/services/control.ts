/** Pause, resume, cancel, terminate, restart and retry in any transaction, by the store's own statements. */
import type { TxResult } from "@fragno-dev/db";
import {
  type ControlOptions,
  type DurationMs,
  type Command,
  decideCommand,
  dueAfter,
  type EpochMs,
  type InstanceRecord,
  type InstanceRef,
  isTerminal,
  leavesChildren,
  LIFECYCLE,
  parseControlOptions,
  reopenSteps,
  type RunRef,
  type StoreCommand,
  toCommanded,
  toControlBatch,
  toRefusal,
  toInstanceView,
  toLeavingStatements,
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
      const taskRowId = host.context.host.newId();
      const batch = toCommandBatch(host, parsed, { demand, taskRowId });
      writeChange(host, uow, { ...change, command }, batch);
    },
    dues: ({ transition, start }) =>
      transition?.task === "enqueue" ? [{ ...parsed, reason, start }] : [],
    answer: ({ after }) => toInstanceView(after).details,
    committed: ({ transition, woken }) => {
      if (transition?.task !== "enqueue" && woken.length > 0)
        wake(host, { ...parsed, reason: "resume", start: null });
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
  { now, ...asked }: Command & { readonly now: EpochMs },
): Change {
  const before = requireInstance(instances, ref);
  const { record } = before;
  const { command } = asked;
  const rule = LIFECYCLE[command];
  const transition = decideCommand({ ...record, controlKey: before.controlKey }, asked);
  if (typeof transition === "string") throw toRefusal({ kind: transition, instance: record }, ref);
  if (transition === null) return { ...before, woken: [], transition, after: record, start: null };
  const at = dueAfter(rule, record);
  return {
    ...before,
    woken: leavesChildren(command) ? toWoken(relatives, record, command) : [],
    transition,
    after: toCommanded(record, { rule, transition, now }),
    start: at === null ? null : { at },
  };
}

/** The store's statements for a command. @param of.delayMs the delay after which a run with reopened steps continues */
export function toCommandBatch(
  { dialect }: FragmentHost,
  ref: InstanceRef,
  { demand, taskRowId, delayMs = 0 }: CommandIds,
): ReturnType<typeof toControlBatch> {
  const { command } = demand;
  const isReopening = LIFECYCLE[command].run === "reopened";
  return toControlBatch(
    dialect,
    { ...ref, ...demand, taskRowId },
    {
      leaving: leavesChildren(command) ? { toLeavingStatements } : null,
      reopening: isReopening ? { reopenSteps: () => reopenSteps(dialect, delayMs) } : null,
    },
  );
}

interface CommandIds {
  readonly demand: Command;
  readonly taskRowId: string;
  readonly delayMs?: DurationMs;
}

/** Queues the writes of a command, and the hooks that it files. */
export function writeChange(
  host: FragmentHost,
  uow: WriteUow,
  { row, record, woken, after, command }: Change & Pick<Command, "command">,
  batch: ChangingBatch,
): void {
  writeToInstance(host, uow, row, batch);
  for (const run of woken) fileHook(host, uow, { ...run, reason: "resume", start: null });
  if (isTerminal(after.status)) fileEnd(host, uow, { row, record });
  if (LIFECYCLE[command].run === "new") fileRestart(host, uow, { row, record });
}
