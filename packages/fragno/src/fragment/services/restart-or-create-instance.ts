/** `restartOrCreateInstance` of Fragno's own workflows fragment. The params are for a new instance; a restarted one keeps its own. */
import type { TxResult } from "@fragno-dev/db";
import {
  assertKnownOptions,
  type Command,
  type InstanceRecord,
  type InstanceRef,
  invalidField,
  mismatchOf,
  parseRunNumber,
  parseStatuses,
  toInstanceView,
} from "@escapement/engine/internal";
import type { InstanceView } from "@escapement/engine";
import type { FragmentHost } from "../fragment-host.ts";
import { toCommandBatch } from "./control.ts";
import { toNewInstance, toNewView } from "./create.ts";
import { parseRef } from "./find-instance.ts";
import type { ServiceScope } from "./operation.ts";
import { startOver } from "./restart-or-create.ts";

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
  readonly ifStatus: readonly Status[];
  readonly ifRunNumber: number | null;
}

const COMMAND: Command = {
  command: "restart",
  ifRunNumber: null,
  ifStatus: null,
  controlKey: null,
};

export function restartOrCreateInstance(
  scope: ServiceScope,
  workflowName: string,
  input: RestartOrCreateInstanceInput,
): TxResult<RestartOrCreateInstanceOutput> {
  const { host } = scope;
  const { ref, params, ...conditions } = parseInput(host, workflowName, input);
  return startOver(scope, {
    ref,
    toCreate: () => toNewInstance(host, ref.workflowName, { id: ref.instanceId, params }),
    decide: ({ record }) => (mismatchOf(record, conditions) === null ? null : "unchanged"),
    command: COMMAND,
    toBatch: (taskRowId) => toCommandBatch(host, ref, { demand: COMMAND, taskRowId }),
    answer: (result): RestartOrCreateInstanceOutput => {
      if ("create" in result) return { ...toNewView(result.create), action: "created" };
      if ("record" in result) {
        const { record } = result;
        return { ...toInstanceView(record), action: "unchanged", observedStatus: record.status };
      }
      const { record, after } = result.change;
      return { ...toInstanceView(after), action: "restarted", previousStatus: record.status };
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
    ifStatus: statuses,
    ifRunNumber: runNumber === undefined ? null : parseRunNumber(Object(runNumber).equals),
  };
}
