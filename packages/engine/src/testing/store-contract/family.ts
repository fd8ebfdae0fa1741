/** A parent and its children for the contract. */
import { toChildEvent } from "../../core/child.ts";
import type { ChildCreated, StepChange } from "../../core/model/change.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { newId, step } from "./builders.ts";
import { parkIn, type Scene } from "./scene.ts";

/** A park of a day. */
export const FAR: ReturnType<typeof parkIn> = parkIn(86_400_000);

/** The change that creates a child. */
export const newChild = (
  { workflowName }: Scene,
  overrides: Partial<ChildCreated> = {},
): ChildCreated => ({
  kind: "childCreated",
  stepKey: "c",
  workflowName,
  instanceId: `c-${newId()}`,
  params: `{"n":1}`,
  onParentEnd: "abandon",
  instanceRowId: newId(),
  taskRowId: newId(),
  claim: null,
  refusal: { rowId: newId(), payload: `{"status":"refused"}` },
  ...overrides,
});

/** The row of a step that waits for a child. */
export const waitFor = ({ stepKey, instanceId }: ChildCreated): StepChange =>
  step(stepKey, {
    type: "invoke",
    status: "waiting",
    waitEventType: toChildEvent(stepKey, instanceId),
    timeoutMs: null,
    result: null,
  });

/** A parked parent with a claimed child. */
export async function family(
  scene: Scene,
  overrides: Partial<ChildCreated> = {},
): Promise<{
  readonly parent: ClaimedRun;
  readonly created: ChildCreated;
  readonly child: ClaimedRun;
}> {
  const parent = await scene.start();
  const created = newChild(scene, overrides);
  await scene.end(parent, FAR, [waitFor(created), created]);
  return { parent, created, child: await scene.claimOne() };
}

/** A run with a claimed child; neither has ended. */
export async function bear(
  scene: Scene,
  parent: ClaimedRun,
): Promise<{ readonly instanceId: string; readonly child: ClaimedRun }> {
  const created = newChild(scene);
  await scene.commitHeld(parent, { changes: [step("c"), created] });
  return { instanceId: created.instanceId, child: await scene.claimOne() };
}
