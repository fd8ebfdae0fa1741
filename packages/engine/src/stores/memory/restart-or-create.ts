import { instanceKey } from "../../core/model/instance-key.ts";
import { mismatchOf, repetitionOf } from "../../core/decide/demand.ts";
import type { RestartOrCreateRequest, RestartOrCreateResult } from "../../ports/control.ts";
import { applyControl } from "./control.ts";
import { toGivenColumns } from "./update.ts";
import { createInstances } from "./create.ts";
import { type MemoryState, toRecord } from "./state.ts";

export function restartOrCreate(
  state: MemoryState,
  { create, ...options }: RestartOrCreateRequest,
): RestartOrCreateResult {
  const [made] = createInstances(state, [create]);
  if (made?.kind === "created") return { kind: "created", instance: made.instance, woke: true };
  const before = state.instances.known(create);
  const unchanged = { instance: toRecord(before), woke: false };
  const repetition = repetitionOf(before, options);
  if (repetition !== null)
    return { kind: repetition === "repeated" ? "restarted" : repetition, ...unchanged };
  if (mismatchOf(before, options) !== null) return { kind: "unchanged", ...unchanged };
  const { workflowName, instanceId, params } = create;
  applyControl(state, { ...options, workflowName, instanceId, command: "restartWithNewKeys" });
  const restarted = state.instances.known(create);
  const after = { ...restarted, params, ...toGivenColumns(create, state.now()) };
  state.instances.set(instanceKey(create), after);
  return { kind: "restarted", instance: toRecord(after), woke: true };
}
