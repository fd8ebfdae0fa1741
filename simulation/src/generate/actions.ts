/** Makes what people, services and machines do to a scenario from outside. */
import type { Random } from "../random.ts";
import type { Action, InstancePlan, RunnerPlan, WorkflowPlan } from "../scenario.ts";
import { leavesOf } from "../walk.ts";
import type { ProfileFacts } from "./profile.ts";

export function makeEvents(
  random: Random,
  of: {
    readonly facts: ProfileFacts;
    readonly workflows: readonly WorkflowPlan[];
    readonly instances: readonly InstancePlan[];
    readonly calmAt: number;
  },
): readonly Action[] {
  const types = of.workflows.flatMap(({ versions }) =>
    versions.flatMap((program) =>
      leavesOf(program).flatMap((leaf) => (leaf.kind === "wait" ? [leaf.type] : [])),
    ),
  );
  return of.instances.flatMap(({ id, createAt }) =>
    types.flatMap((type): Action[] => {
      if (random.chance(0.3)) return [];
      const at = createAt + random.pick([5, 400, 1100, 9000, random.int(0, of.calmAt)]);
      const copies = random.chance(0.1) ? 5 : 1;
      return [{ kind: "event", at, instance: id, ...descendantOf(random, of.facts), type, copies }];
    }),
  );
}

/** Retries come late: what failed has to have failed. */
export function makeAgain(
  random: Random,
  of: { readonly facts: ProfileFacts; readonly instances: readonly InstancePlan[] },
): readonly Action[] {
  const { again = [0, 0], calmAt } = of.facts;
  return of.instances.flatMap(({ id, createAt }) =>
    Array.from({ length: random.int(...again) }, (): Action => {
      const at =
        createAt +
        random.weighted([
          [2, random.int(0, 100)],
          [3, random.int(0, 5000)],
          [3, random.int(0, calmAt)],
          [2, random.int(calmAt, calmAt + 40_000)],
        ]);
      const [instance, step] = [id, random.int(0, 12)];
      return random.weighted<() => Action>([
        [
          3,
          () =>
            step % 3 === 0
              ? { kind: "retryFrom", at, instance, step }
              : { kind: "retry", at, instance },
        ],
        [4, () => ({ kind: "rewind", at, instance, step })],
        [2, () => ({ kind: "fork", at, instance, step })],
        [1, () => ({ kind: "restart", at, instance })],
        [1, () => ({ kind: "restart", at, instance, newKeys: true })],
        [
          1,
          () => ({
            kind: "restartOrCreate",
            at,
            instance,
            ifEnded: random.chance(0.5),
            copies: random.int(1, 2),
          }),
        ],
      ])();
    }),
  );
}

/** Events of all types, most of them in swarms, and half of their senders ask for a reply. */
export function makeQuestions(
  random: Random,
  of: { readonly facts: ProfileFacts; readonly instances: readonly InstancePlan[] },
): readonly Action[] {
  const { events = [0, 0], calmAt } = of.facts;
  return of.instances.flatMap(({ id, createAt }) =>
    Array.from({ length: random.int(...events) }, (): Action => {
      const afterMs = random.weighted([
        [3, random.int(0, 60)],
        [3, random.int(0, 3000)],
        // About the deadlines of waits that begin with the run.
        [1, random.pick([1000, 10_000, 60_000]) + random.int(0, 30)],
        [2, random.int(0, calmAt)],
      ]);
      const type = random.pick(["red", "green", "blue"]);
      const copies = random.pick([1, 1, 2, 4]);
      const asks = random.chance(0.5);
      return { kind: "event", at: createAt + afterMs, instance: id, type, copies, asks };
    }),
  );
}

/** Most come about the time at which runs begin to wait. */
export function makeMessages(
  random: Random,
  of: { readonly facts: ProfileFacts; readonly instances: readonly InstancePlan[] },
): readonly Action[] {
  const { messages = [0, 0], taste, calmAt } = of.facts;
  return Array.from({ length: random.int(...messages) }, (): Action => {
    const afterMs = random.weighted([
      [3, random.int(0, 60)],
      [3, random.int(0, 3000)],
      // About the deadlines of waits that begin with the run.
      [1, random.pick([1000, 10_000, 60_000]) + random.int(0, 30)],
      [2, random.int(0, calmAt)],
    ]);
    const at = random.pick(of.instances).createAt + afterMs;
    const messageId = random.chance(0.3) ? `m${random.int(1, 4)}` : null;
    return { kind: "emit", at, topic: random.pick(taste.topics), messageId };
  });
}

export function makeTroubles(
  random: Random,
  of: {
    readonly facts: ProfileFacts;
    readonly instances: readonly InstancePlan[];
    readonly runners: readonly RunnerPlan[];
    readonly calmAt: number;
  },
): readonly Action[] {
  const { facts, instances, runners, calmAt } = of;
  const [first] = instances;
  if (first === undefined) return [];
  return Array.from({ length: random.int(...facts.troubles) }, (): Action => {
    const at = random.int(0, calmAt - 1);
    const runner = random.int(0, runners.length - 1);
    const target = { instance: random.pick(instances).id, ...descendantOf(random, facts) };
    return random.weighted<() => Action>([
      [3, () => ({ kind: "crash", at, runner, downMs: 0 })],
      [1, () => ({ kind: "stop", at, runner, downMs: random.pick([0, 1000, 10_000]) })],
      [2, () => ({ kind: "freeze", at, runner, ms: random.pick([500, 5000, 30_000]) })],
      [
        2,
        () => ({
          kind: "clock",
          at,
          runner,
          ms: random.pick([-3_600_000, -20_000, 20_000, 3_600_000]),
        }),
      ],
      [2, () => ({ kind: "pause", at, ...target })],
      [1, () => ({ kind: "resume", at, ...target })],
      [0.5, () => ({ kind: "terminate", at, ...target })],
      [0.7, () => ({ kind: "restart", at, ...target })],
    ])();
  });
}

/** Some calls are for a child. */
export const descendantOf = (
  random: Random,
  { kids }: ProfileFacts,
): { readonly descendant?: number } =>
  kids === undefined || random.chance(0.5) ? {} : { descendant: random.int(0, 3) };

/** Most come while the run is at work, and some twice, or one beside the other. */
export function makeEnds(
  random: Random,
  of: { readonly facts: ProfileFacts; readonly instances: readonly InstancePlan[] },
): readonly Action[] {
  const { ends = [0, 0], calmAt } = of.facts;
  return of.instances.flatMap(({ id, createAt }) =>
    Array.from({ length: random.int(...ends) }, (): Action => {
      const afterMs = random.weighted([
        [4, random.int(0, 60)],
        [3, random.int(0, 1500)],
        [2, random.int(0, 15_000)],
        [1, random.int(0, calmAt)],
      ]);
      const kind = random.weighted([
        [3, "cancel"],
        [2, "rollback"],
      ] as const);
      return { kind, at: createAt + afterMs, instance: id, ...descendantOf(random, of.facts) };
    }),
  );
}

export function makeDeploys(
  random: Random,
  of: {
    readonly workflows: readonly WorkflowPlan[];
    readonly runners: readonly RunnerPlan[];
    readonly calmAt: number;
  },
): readonly Action[] {
  if (of.workflows.every(({ versions }) => versions.length === 1)) return [];
  return of.runners.map((_, runner) => ({
    kind: "deploy",
    at: random.int(100, of.calmAt - 1),
    runner,
  }));
}

/**
 * After a deploy that gave waits another event type, every instance is looked at by the new code (a pause makes sure of
 * it), and then the events of the new types come.
 */
export function makeLateEvents(of: {
  readonly workflows: readonly WorkflowPlan[];
  readonly instances: readonly InstancePlan[];
  readonly calmAt: number;
}): readonly Action[] {
  const [main] = of.workflows;
  const second = main?.versions[1];
  if (main === undefined || second === undefined) return [];
  const known = new Set(leavesOf(main.versions[0]).map((leaf) => "type" in leaf && leaf.type));
  const types = leavesOf(second).flatMap((leaf) =>
    leaf.kind === "wait" && !known.has(leaf.type) ? [leaf.type] : [],
  );
  return of.instances.flatMap(({ id }): Action[] => [
    { kind: "pause", at: of.calmAt + 5000, instance: id },
    ...types.map((type): Action => ({
      kind: "event",
      at: of.calmAt + 70_000,
      instance: id,
      type,
      copies: 1,
    })),
  ]);
}
