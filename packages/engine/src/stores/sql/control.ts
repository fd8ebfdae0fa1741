/** `Store.control` and `Store.sendEvent`: changes from outside, each in one batch that locks the task first. */
import type { Dialect } from "@escapement/db/client";
import { utf8Size } from "../../core/plain-codec.ts";
import { decideCommand } from "../../core/decide/command.ts";
import { mismatchOf } from "../../core/decide/demand.ts";
import { leavesChildren, LIFECYCLE, type StoreCommand } from "../../core/decide/lifecycle.ts";
import { late } from "../../core/late.ts";
import { isTerminal } from "../../core/model/status.ts";
import type { ScopeRow } from "../../core/enclosing-scopes.ts";
import type { EventRefused, SendEventRequest, SendEventResult } from "../../ports/send-event.ts";
import type { ControlRequest, ControlResult } from "../../ports/control.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { oncePerDialect, query, queryText } from "./late-statements.ts";
import { type Locking, toLocking } from "./locked.ts";
import {
  type ClaimedRows,
  toNextDueQuery,
  readClaimed,
  toClaimedRuns,
  toNextDue,
} from "./claim.ts";
import { toInstanceRecord } from "./records.ts";
import type {
  ClaimedTaskRow,
  ClaimNextRow,
  FoundEventRow,
  InstanceRow,
  LockedRow,
  Query,
} from "./rows.ts";
import type { toLeavingStatements } from "./control-children.ts";
import { controlStatements, type Replacing } from "./statements/control.ts";
import { hasStatusAmong, isDemanded, toDemand, toStatuses } from "./statements/demand.ts";
import {
  findEvent,
  findEventById,
  insertEvent,
  wakeAndClaimTask,
  wakeTask,
} from "./statements/send-event.ts";
import type { CallbackStatements, FoundCallbackRow } from "./send-callback.ts";

const controlChildren = late(() => import("./control-children.ts"));
const loadReopening = late(() => import("./statements/reopen-steps.ts"));
const callbacks = late(() => import("./send-callback.ts"));

/** What only some commands need. */
export interface ControlParts {
  /** null: the command leaves children alone. */
  readonly leaving: { readonly toLeavingStatements: typeof toLeavingStatements } | null;
  /** null: the command opens no steps. */
  readonly reopening: { readonly reopenSteps: (dialect: Dialect) => string } | null;
}

interface ControlBatch extends Readonly<Record<string, Query<unknown> | null>>, Locking {
  readonly updated: Query<InstanceRow>;
}

const textsOf = oncePerDialect((dialect, command: StoreCommand) =>
  controlStatements(dialect, command),
);

/** The statements of a command. */
export function toControlBatch(
  dialect: Dialect,
  { workflowName, instanceId, command, controlKey, taskRowId, ...demand }: ControlRequest,
  { leaving, reopening }: ControlParts,
): ControlBatch {
  const isAny = demand.ifStatus === null;
  const { deleteTask, insertTask, updateInstance } = isAny
    ? textsOf(dialect, command)
    : controlStatements(dialect, command, inStatuses(dialect));
  const meant = [workflowName, instanceId, demand.ifRunNumber, controlKey] as const;
  const more = isAny ? [] : [toStatuses(demand)];
  return {
    ...toLocking(dialect, { workflowName, instanceId }),
    deleted: queryText(deleteTask, ...meant, ...more),
    reopened: mayReopen(demand)
      ? reopening && { text: reopening.reopenSteps(dialect), values: meant }
      : null,
    ...leaving?.toLeavingStatements(dialect, {
      command,
      meant,
      eventRowId: taskRowId,
      ...(isAny
        ? {}
        : { condition: { textAt: (at) => hasStatusAmong(dialect, "i", at), values: more } }),
    }),
    inserted: insertTask === null ? null : queryText(insertTask, ...meant, taskRowId, ...more),
    updated: queryText(updateInstance, ...meant, ...more),
  };
}

/** The further condition of a command for an instance in some statuses. */
export const inStatuses = (dialect: Dialect): Replacing => ({
  condition: (alias, position) => hasStatusAmong(dialect, alias, position),
  set: () => "",
});

/** Only a run that failed has steps to open again. */
const mayReopen = ({ ifStatus }: Pick<ControlRequest, "ifStatus">): boolean =>
  ifStatus?.includes("errored") !== false;

export async function controlInstance(
  { database, dialect }: SqlContext,
  request: ControlRequest,
): Promise<ControlResult> {
  const { command } = request;
  const leaving = leavesChildren(command) ? await controlChildren() : null;
  // Loaded when a run is first retried.
  const reopening = LIFECYCLE[command].run === "reopened" ? await loadReopening() : null;
  const batch = toControlBatch(dialect, request, { leaving, reopening });
  const answers = await applyBatch(database, batch);
  const {
    locked: [before],
    updated: [after],
  } = answers;
  const result = toControlResult(request, before, after);
  const wokeOthers = leaving?.hasWoken(answers) === true;
  return result.kind === "applied" && wokeOthers ? { ...result, woke: true } : result;
}

function toControlResult(
  request: ControlRequest,
  before: LockedRow | undefined,
  after: InstanceRow | undefined,
): ControlResult {
  if (before === undefined) return { kind: "notFound" };
  const instance = toInstanceRecord(after ?? before);
  const { controlKey } = before;
  const decided = decideCommand({ ...toInstanceRecord(before), controlKey }, request);
  return typeof decided === "string"
    ? { kind: decided, instance }
    : { kind: "applied", instance, woke: decided?.task === "enqueue" };
}

export async function sendEvent(
  { database, dialect, statements }: SqlContext,
  request: SendEventRequest,
): Promise<SendEventResult> {
  const { workflowName, instanceId, eventRowId, type, payload, eventId, cap, claim } = request;
  const { traceContext = null } = request;
  const instance = [workflowName, instanceId] as const;
  const { task, locked } = toLocking(dialect, request);
  const sizeBytes = payload === null ? 0 : utf8Size(payload);
  const event = [eventRowId, type, payload, eventId, sizeBytes] as const;
  const caps = [cap.maxCount, cap.maxBytes] as const;
  const values = [...instance, ...event, ...caps, traceContext] as const;
  const inserted = toInsertedEvent(dialect, values, request.demand);
  const callback = await toCallback(dialect, request, inserted);
  const answers = await applyBatch(database, {
    // SQLite has one writer at a time, so nothing has to be locked.
    task: dialect.name === "sqlite" ? null : task,
    locked,
    inserted: callback?.inserted ?? inserted,
    target: callback?.target ?? null,
    scopes: callback?.scopes ?? null,
    found:
      eventId === null || callback !== null
        ? query<FoundEventRow>(dialect, findEvent, ...instance, eventRowId)
        : query<FoundEventRow>(dialect, findEventById, ...instance, eventId, type, payload),
    tasks:
      claim === null
        ? query<ClaimedTaskRow>(dialect, wakeTask, ...instance, type, eventRowId)
        : query<ClaimedTaskRow>(
            dialect,
            wakeAndClaimTask,
            ...instance,
            type,
            eventRowId,
            claim.token,
            claim.leaseMs,
          ),
    ...(claim === null ? NOTHING_CLAIMED : readClaimed(statements, claim.token, "one")),
    seen: toNextDueQuery(statements, claim),
  });
  return toSendResult(request, answers, callback);
}

/** The statement that stores an event, if the instance meets what is demanded. @param values of `insertEvent` */
export function toInsertedEvent(
  dialect: Dialect,
  values: Query<never>["values"],
  demand: SendEventRequest["demand"],
): Query<never> {
  if (demand === undefined) return query(dialect, insertEvent, ...values);
  const condition = `and ${isDemanded(dialect, "i", values.length + 1)} `;
  return { text: insertEvent(dialect, condition), values: [...values, ...toDemand(demand)] };
}

/** null: the event is for any wait for its type. */
async function toCallback(
  dialect: Dialect,
  request: SendEventRequest,
  { values }: Query<never>,
): Promise<CallbackPart | null> {
  const { callback } = request;
  if (callback === undefined) return null;
  const { toCallbackRefusal, toCallbackStatements } = await callbacks();
  return {
    ...toCallbackStatements(dialect, { ...request, callback }, values),
    refusalOf: ({ target: [target], scopes }) =>
      target === undefined ? null : toCallbackRefusal(callback, target, scopes),
  };
}

interface CallbackPart extends CallbackStatements {
  readonly refusalOf: (
    answers: Pick<SendAnswers, "target" | "scopes">,
  ) => EventRefused["kind"] | null;
}

const NOTHING_CLAIMED = { instances: null, steps: null, events: null };

interface SendAnswers extends ClaimedRows {
  readonly locked: readonly LockedRow[];
  readonly found: readonly FoundEventRow[];
  readonly target: readonly FoundCallbackRow[];
  readonly scopes: readonly ScopeRow[];
  readonly seen: readonly ClaimNextRow[];
}

function toSendResult(
  { claim, demand }: SendEventRequest,
  answers: SendAnswers,
  callback: CallbackPart | null,
): SendEventResult {
  const {
    locked: [locked],
    found: [found],
    seen: [seen],
    tasks,
    instances,
  } = answers;
  if (locked === undefined) return { kind: "notFound" };
  const before = toInstanceRecord(locked);
  const refusal = callback?.refusalOf(answers) ?? null;
  if (refusal !== null) return { kind: refusal, instance: before };
  if (found === undefined) {
    const mismatch = demand === undefined ? null : mismatchOf(before, demand);
    const full = isTerminal(before.status) ? "terminal" : "eventLimit";
    return { kind: mismatch ?? full, instance: before };
  }
  if (Number(found.isSame) !== 1) return { kind: "eventIdConflict", instance: before };
  const woke = tasks.length > 0;
  if (claim === null) return { kind: "applied", instance: before, woke, run: null };
  const next = seen === undefined ? undefined : toNextDue(seen);
  const [run = null] = toClaimedRuns(claim.token, answers);
  const [{ status, startedAt, updatedAt } = before] = instances;
  const instance = { ...before, status, startedAt, updatedAt };
  return { kind: "applied", instance, woke, run, next };
}
