/** Decides what a command makes of an instance. `stores/sql/statements/control.ts` says the same in SQL. */
import { keptDeadline, notAfterDeadline, toEndRequestAt } from "../deadline.ts";
import { toStartsAt } from "../delayed-start.ts";
import type { EpochMs, InstanceRecord } from "../model/records.ts";
import { isTerminal } from "../model/status.ts";
import { type Conditions, isRepeated, mismatchOf } from "./demand.ts";
import {
  LIFECYCLE,
  type LifecycleRule,
  refusalOf,
  type StoreCommand,
  toEndRequest,
  type Transition,
} from "./lifecycle.ts";

/** A command, and what it demands of the instance. */
export interface Command extends Conditions {
  readonly command: StoreCommand;
  /** Identifies the command: repeated with the same key, it changes nothing. null: every command is a new one. */
  readonly controlKey: string | null;
}

/** What a command does; null: it changes nothing. A text says why it is refused. */
export function decideCommand(
  before: Pick<InstanceRecord, "status" | "error" | "runNumber"> & Pick<Command, "controlKey">,
  asked: Command,
): Transition | "runNumberMismatch" | "statusMismatch" | "terminal" | "notErrored" | null {
  if (isRepeated(before, asked)) return null;
  const mismatch = mismatchOf(before, asked);
  if (mismatch !== null) return mismatch;
  const rule = LIFECYCLE[asked.command];
  return refusalOf(rule, before) ?? rule.transitions[before.status] ?? null;
}

/** The instance after a transition. */
export function toCommanded<T extends InstanceRecord>(
  before: T,
  { rule, transition, now }: Applying,
): T {
  const open = { completedAt: null, output: null, error: null, diverged: [], retryCount: 0 };
  const newRun = { ...open, runNumber: before.runNumber + 1, startedAt: null };
  return {
    ...before,
    ...(rule.run === "same" ? {} : rule.run === "new" ? newRun : open),
    ...(rule.run === "same" ? {} : { deadlineAt: keptDeadline(before, now) }),
    ...(rule.asks === null || toStartsAt(before) === null ? {} : { startedAt: null }),
    ...(isTerminal(transition.to) ? { completedAt: now } : {}),
    status: transition.to,
    pauseRequested: transition.pauseRequested,
    // A deadline that has passed has the same effect as a cancel, and came first.
    endRequested: toEndRequest(
      rule,
      rule.asks === "cancel" ? toEndRequestAt(before, now) : before.endRequested,
    ),
    updatedAt: now,
  };
}

/** When a run that becomes due is due; null: at once. A delayed start is not earlier than planned. */
export function dueAfter({ run, asks }: LifecycleRule, before: InstanceRecord): EpochMs | null {
  const startsAt = run === "new" || asks !== null ? null : toStartsAt(before);
  return startsAt === null ? null : notAfterDeadline(startsAt, before);
}

/** A transition of a rule, and when it happens. */
export interface Applying {
  readonly rule: LifecycleRule;
  readonly transition: Transition;
  readonly now: EpochMs;
}
