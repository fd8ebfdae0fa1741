/** `restartOrCreateInstance` of Fragno's own workflows fragment. The params are for a new instance; a restarted one keeps its own. */
import type { TxResult } from "@fragno-dev/db";
import {
  assertKnownOptions,
  type InstanceRecord,
  type InstanceRef,
  invalidField,
  type NewInstance,
  parseRunNumber,
  parseStatuses,
  toInstanceView,
} from "@escapement/engine/internal";
import type { InstanceView } from "@escapement/engine";
import type { FragmentHost } from "../fragment-host.ts";
import {
  type Change,
  type Decided,
  decideChange,
  type Demand,
  toCommandBatch,
  writeChange,
} from "./control.ts";
import { announce, toNewInstance, toNewView, writeInstance } from "./create.ts";
import { findInstance, parseRef, requireInstance } from "./find-instance.ts";
import {
  fileHook,
  type Found,
  type ServiceScope,
  toServiceCall,
  wake,
  type WriteUow,
} from "./operation.ts";
import { findChildren } from "./relatives.ts";

type Status = InstanceRecord["status"];

/** The instance to create or restart. */
export interface RestartOrCreateInstanceInput {
  readonly id: string;
  /** Only used if no instance has the id. */
  readonly create: { readonly params?: unknown };
  readonly restart: {
    readonly precondition: {
      readonly status: { readonly in: readonly [Status, ...Status[]] };
      readonly runNumber?: { readonly equals: number };
    };
  };
}

/** The result. */
export type RestartOrCreateInstanceOutput = InstanceView &
  (
    | { readonly action: "created" }
    | { readonly action: "restarted"; readonly previousStatus: Status }
    | { readonly action: "unchanged"; readonly observedStatus: Status }
  );

interface Asked {
  readonly ref: InstanceRef;
  readonly params: unknown;
  readonly statuses: readonly Status[];
  readonly runNumber: number | null;
}

type State =
  | { readonly action: "created"; readonly create: NewInstance }
  | { readonly action: "restarted"; readonly change: Change }
  | { readonly action: "unchanged"; readonly record: InstanceRecord };

const DEMAND: Demand = { command: "restart", ifRunNumber: null, controlKey: null };

export function restartOrCreateInstance(
  scope: ServiceScope,
  workflowName: string,
  input: RestartOrCreateInstanceInput,
): TxResult<RestartOrCreateInstanceOutput> {
  const { host } = scope;
  const asked = parseInput(host, workflowName, input);
  const { ref } = asked;
  return toServiceCall(scope, {
    find: (uow) => findChildren(findInstance(uow, ref), ref),
    decide: (found) => decide(host, found, asked),
    write: (uow, state) => write(host, uow, { state, ref }),
    answer: toAnswer,
    committed: (state) => {
      if (state.action === "created") announce(host, state.create);
      if (state.action === "restarted") wake(host, { ...ref, reason: "create" });
    },
  });
}

/** @throws {WorkflowError} WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, UNKNOWN_OPTION, INVALID_REQUEST */
function parseInput(
  host: FragmentHost,
  workflowName: string,
  input: RestartOrCreateInstanceInput,
): Asked {
  const of = "restartOrCreateInstance";
  assertKnownOptions(of, input, { id: 1, create: 1, restart: 1 });
  assertKnownOptions(`${of}.create`, input.create, { params: 1 });
  assertKnownOptions(`${of}.restart`, input.restart, { precondition: 1 });
  // JavaScript callers may have left any of it out.
  const precondition: Partial<RestartOrCreateInstanceInput["restart"]["precondition"]> =
    input.restart?.precondition ?? {};
  assertKnownOptions(`${of}.restart.precondition`, precondition, { status: 1, runNumber: 1 });
  const statuses = parseStatuses(precondition.status?.in) ?? [];
  if (statuses.length === 0)
    throw invalidField("restart.precondition.status.in", "a list of one status at least");
  const { runNumber } = precondition;
  return {
    ref: parseRef(host, workflowName, input.id),
    params: input.create?.params,
    statuses,
    runNumber: runNumber === undefined ? null : parseRunNumber(Object(runNumber).equals),
  };
}

function decide(host: FragmentHost, found: Found, asked: Asked): State {
  const { ref, params, statuses, runNumber } = asked;
  if (found[0]?.[0] === undefined) {
    const create = toNewInstance(host, ref.workflowName, { id: ref.instanceId, params });
    return { action: "created", create };
  }
  const { record } = requireInstance(found[0], ref);
  const isMeant =
    statuses.includes(record.status) && (runNumber ?? record.runNumber) === record.runNumber;
  if (!isMeant) return { action: "unchanged", record };
  return {
    action: "restarted",
    change: decideChange(found, ref, { ...DEMAND, now: host.context.host.now() }),
  };
}

function write(
  host: FragmentHost,
  uow: WriteUow,
  { state, ref }: { readonly state: State; readonly ref: InstanceRef },
): void {
  if (state.action === "created")
    return writeInstance(host, uow, { instance: state.create, wasLookedFor: true });
  if (state.action === "unchanged") return;
  // Any status can be restarted.
  const taskRowId = host.context.host.newId();
  const batch = toCommandBatch(host, ref, { demand: DEMAND, taskRowId });
  writeChange(host, uow, { ...(state.change as Decided), command: DEMAND.command }, batch);
  fileHook(host, uow, { ...ref, reason: "create" });
}

function toAnswer(state: State): RestartOrCreateInstanceOutput {
  switch (state.action) {
    case "created":
      return { ...toNewView(state.create), action: "created" };
    case "restarted": {
      const { record, after } = state.change;
      return { ...toInstanceView(after), action: "restarted", previousStatus: record.status };
    }
    case "unchanged": {
      const { record } = state;
      return { ...toInstanceView(record), action: "unchanged", observedStatus: record.status };
    }
  }
}
