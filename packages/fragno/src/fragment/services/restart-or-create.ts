/** Creates an instance, or restarts the one that has the id, in any transaction. */
import type { TxResult } from "@fragno-dev/db";
import {
  assertSameCreate,
  commandKeyConflict,
  type Command,
  type InstanceRecord,
  type InstanceRef,
  keyOfInputs,
  mismatchOf,
  type NewInstance,
  parseRestartOrCreate,
  repetitionOf,
  type RestartOrCreateInput,
  type RestartOrCreateOutput,
  toInstanceView,
  toRestartOrCreateBatch,
  type When,
} from "@escapement/engine/internal";
import { decideChange, writeChange, type Change } from "./control.ts";
import { toDues, toNewInstance, toNewView, writeInstance } from "./create.ts";
import { findInstance, type FoundInstance, requireInstance } from "./find-instance.ts";
import { type ServiceScope, toServiceCall } from "./operation.ts";
import type { ChangingBatch } from "./own-statements.ts";
import { findChildren } from "./relatives.ts";
import { toShown } from "./update.ts";

/** The key of a create is converted to a row id in advance, because that takes a digest. */
export interface IdentifiedRestartOrCreate extends RestartOrCreateInput {
  readonly instanceRowId?: string;
}

type Outcome = RestartOrCreateOutput["outcome"];

/** What has happened. */
type Result =
  | { readonly outcome: "created"; readonly create: NewInstance }
  | { readonly outcome: "restarted"; readonly change: Change }
  | { readonly outcome: Outcome; readonly record: InstanceRecord };

/** A call that creates or restarts. */
export interface StartingOver<Output> {
  readonly ref: InstanceRef;
  /** Called if no instance has the id. @throws {WorkflowError} about the input */
  readonly toCreate: () => NewInstance;
  /** The outcome if the existing instance is left alone; null: it is restarted. */
  readonly decide: (existing: FoundInstance) => Outcome | null;
  readonly command: Command;
  readonly toBatch: (taskRowId: string) => ChangingBatch;
  /** Of the new run after a restart. @default none */
  readonly deadline?: When | null;
  readonly answer: (result: Result) => Output;
}

export function restartOrCreate(
  scope: ServiceScope,
  workflowName: string,
  { instanceRowId, ifRunNumber, ifStatus, idempotencyKey, ...input }: IdentifiedRestartOrCreate,
): TxResult<RestartOrCreateOutput> {
  const { host } = scope;
  const asking = { ifRunNumber, ifStatus, idempotencyKey, ...input } as RestartOrCreateInput;
  const { id, ...conditions } = parseRestartOrCreate(asking, host.context.limits);
  const rowId = instanceRowId === undefined ? {} : { instanceRowId };
  const create = toNewInstance(host, workflowName, { ...input, id, ...rowId });
  const asked = { ...conditions, controlKey: keyOfInputs(conditions, create) };
  return startOver(scope, {
    ref: create,
    toCreate: () => create,
    decide: (existing) => {
      const { row, record } = existing;
      if (row.id.externalId === create.instanceRowId) {
        if (record.runNumber === 1) assertSameCreate(record, create);
        return "created";
      }
      const repetition = repetitionOf(existing, asked);
      if (repetition === "keyConflict") throw commandKeyConflict(record);
      if (repetition === "repeated") return "restarted";
      return mismatchOf(record, asked) === null ? null : "unchanged";
    },
    command: { ...asked, command: "restartWithNewKeys" },
    toBatch: (taskRowId) => toRestartOrCreateBatch(host.dialect, { ...asked, create, taskRowId }),
    deadline: create.deadline ?? null,
    answer: (result) => {
      const { outcome } = result;
      if ("create" in result) return { ...toNewView(create), outcome };
      const record = "record" in result ? result.record : toShown(result.change.after, create);
      return { ...toInstanceView(record), outcome };
    },
  });
}

/** The call as a service call. */
export function startOver<Output>(
  scope: ServiceScope,
  { ref, toCreate, decide, command, toBatch, deadline = null, answer }: StartingOver<Output>,
): TxResult<Output> {
  const { host } = scope;
  const { now, newId } = host.context.host;
  return toServiceCall(scope, {
    find: (uow) => findChildren(findInstance(uow, ref), ref),
    decide: (found): Result => {
      const [instances] = found;
      if (instances?.[0] === undefined) return { outcome: "created", create: toCreate() };
      const existing = requireInstance(instances, ref);
      const outcome = decide(existing);
      if (outcome !== null) return { outcome, record: existing.record };
      return {
        outcome: "restarted",
        change: decideChange(found, ref, { ...command, now: now() }),
      };
    },
    write: (uow, result) => {
      if ("create" in result)
        writeInstance(host, uow, { instance: result.create, isKnownNew: true });
      // Any status can be restarted.
      if ("change" in result)
        writeChange(host, uow, { ...result.change, ...command }, toBatch(newId()));
    },
    dues: (result) => {
      if ("record" in result) return [];
      return toDues("create" in result ? result.create : { ...ref, start: null, deadline });
    },
    answer,
  });
}
