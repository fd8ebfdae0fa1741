import { instanceKey } from "../../core/model/instance-key.ts";
import type { RestartOrCreateRequest, RestartOrCreateResult } from "../../ports/control.ts";
import { applyControl } from "./control.ts";
import { toSaid } from "./update.ts";
import { createInstances } from "./create.ts";
import { type MemoryInstance, type MemoryState, toRecord } from "./state.ts";

export function restartOrCreate(
  state: MemoryState,
  { create, ifStatus, ...options }: RestartOrCreateRequest,
): RestartOrCreateResult {
  const [made] = createInstances(state, [create]);
  if (made?.kind === "created") return { kind: "created", instance: made.instance, woke: true };
  const before = state.instances.get(instanceKey(create)) as MemoryInstance;
  const isRepeat = options.controlKey !== null && before.controlKey === options.controlKey;
  const unchanged = { instance: toRecord(before), woke: false };
  if (isRepeat) return { kind: "restarted", ...unchanged };
  if (ifStatus?.includes(before.status) === false) return { kind: "unchanged", ...unchanged };
  const { workflowName, instanceId, params } = create;
  const request = { ...options, workflowName, instanceId, command: "restartWithNewKeys" } as const;
  if (applyControl(state, request).kind !== "applied") return { kind: "unchanged", ...unchanged };
  const restarted = state.instances.get(instanceKey(create)) as MemoryInstance;
  const after = { ...restarted, params, ...toSaid(create, state.now()) };
  state.instances.set(instanceKey(create), after);
  return { kind: "restarted", instance: toRecord(after), woke: true };
}
