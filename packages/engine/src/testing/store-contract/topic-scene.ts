/** What tests of topics are made of. */
import type { MessageEmitted, RunOutcome, StepChange } from "../../core/model/change.ts";
import { TOPIC_TASKS } from "../../core/engine-names.ts";
import type { TopicRetention } from "../../core/topic-retention.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import type { DeliverResult, EmitRequest, EmitResult } from "../../ports/topics.ts";
import { newId, step } from "./builders.ts";
import { parkIn, type Scene } from "./scene.ts";

export const FAR: RunOutcome = parkIn(86_400_000);
export const RETENTION: TopicRetention = { maxCount: 3, maxBytes: 1_000_000, maxAgeMs: 60_000 };

export const newTopic = (): string => `t-${newId()}`;

export const waitFor = (topic: string, overrides: object = {}): StepChange =>
  step("w", {
    type: "waitForTopic",
    status: "waiting",
    waitEventType: `topic ${topic}`,
    timeoutMs: null,
    result: null,
    ...overrides,
  });

export const emitOf = (
  topic: string,
  n: number,
  overrides: Partial<EmitRequest> = {},
): EmitRequest => ({
  topic,
  topicRowId: newId(),
  messageRowId: newId(),
  messageId: null,
  message: `{"payload":${n}}`,
  retention: RETENTION,
  isDelivering: true,
  ...overrides,
});

export const emitted = (topic: string, n: number): MessageEmitted => ({
  kind: "messageEmitted",
  stepKey: "e",
  rowId: newId(),
  topicRowId: newId(),
  topic,
  messageId: null,
  message: `{"payload":${n}}`,
  retention: RETENTION,
});

/** A run that is parked at a wait. */
export async function waiter(
  scene: Scene,
  topic: string,
  overrides: object = {},
): Promise<ClaimedRun> {
  const run = await scene.start();
  await scene.end(run, FAR, [waitFor(topic, overrides)]);
  return run;
}

export const idsOf = ({ due }: Pick<EmitResult, "due">): readonly string[] =>
  due.map(({ id }) => id);

/** Hands on as an emitter does. */
export async function deliverAll(
  { store }: Pick<Scene, "store">,
  topic: string,
  { sequence, due }: EmitResult,
): Promise<readonly DeliverResult[]> {
  const results: DeliverResult[] = [];
  for (let waitIds = due; waitIds.length > 0;) {
    const result = await store.deliver({ topic, waitIds: idsOf({ due: waitIds }), upTo: sequence });
    results.push(result);
    waitIds = result.due;
  }
  return results;
}

export async function emitAll(scene: Scene, topic: string, n: number): Promise<EmitResult> {
  const result = await scene.store.emit(emitOf(topic, n));
  await deliverAll(scene, topic, result);
  return result;
}

/** Messages that runs have, as they were emitted. */
export const payloads = (runs: readonly ClaimedRun[]): readonly string[] =>
  runs.flatMap(({ events }) => events.map(({ payload }) => withoutPosition(payload)));

export const withoutPosition = (payload: string | null): string =>
  (payload ?? "").replace(/"position":\d+,?/u, "");

/** What has yet to be handed on, if a claim finds it. */
export const claimTopic = async (scene: Scene, topic: string): Promise<ClaimedRun | undefined> => {
  const { runs } = await scene.claim({ workflowNames: [TOPIC_TASKS] });
  return runs.find(({ run }) => run.instanceId === topic);
};

/** Claimed runs, a hundred at once. */
export async function startMany(scene: Scene, count: number): Promise<readonly ClaimedRun[]> {
  const runs: ClaimedRun[] = [];
  for (let left = count; left > 0; left -= 100) {
    const some = Array.from({ length: Math.min(100, left) }, () => scene.newInstance());
    await scene.store.create(some);
    runs.push(...(await scene.claim()).runs);
  }
  return runs;
}
