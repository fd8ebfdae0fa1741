/** Makes scenarios of a seed. */
import type { Program } from "../program.ts";
import { Random } from "../random.ts";
import type {
  Action,
  Fault,
  FaultKind,
  InstancePlan,
  RunnerPlan,
  Scenario,
  WorkflowPlan,
} from "../scenario.ts";
import { leavesOf } from "../walk.ts";
import { ProgramMaker, type ProgramTaste } from "./programs.ts";
import { twoVersionsOf } from "./versions.ts";

/** How big and how rough a scenario is. `replay`: short programs whose runners die at almost every commit. `scopes`: programs of scopes. `rollback`: the same with undo. `ends`: the same, and instances are cancelled, rolled back and called back. */
export const PROFILE_NAMES = [
  "light",
  "middle",
  "heavy",
  "replay",
  "scopes",
  "rollback",
  "ends",
] as const;
export type Profile = (typeof PROFILE_NAMES)[number];

interface ProfileFacts {
  readonly taste: ProgramTaste;
  readonly instances: readonly [min: number, max: number];
  readonly runners: readonly [min: number, max: number];
  readonly faults: readonly [min: number, max: number];
  /** Calls among which faults are spread. */
  readonly calls: number;
  readonly troubles: readonly [min: number, max: number];
  /** Requests to end, of each instance. @default none */
  readonly ends?: readonly [min: number, max: number];
  readonly calmAt: number;
  readonly pollMs: readonly number[];
}

const PLAIN: ProgramTaste = {
  length: [1, 4],
  nesting: 1,
  failures: true,
  children: false,
  loops: true,
  slow: false,
  poison: false,
  scopes: false,
  rollbacks: false,
  cleanups: false,
};

const PROFILES: Readonly<Record<Profile, ProfileFacts>> = {
  light: {
    taste: PLAIN,
    instances: [1, 2],
    runners: [1, 2],
    faults: [0, 5],
    calls: 30,
    troubles: [0, 2],
    calmAt: 30_000,
    pollMs: [20_000],
  },
  middle: {
    taste: { ...PLAIN, nesting: 2, children: true, slow: true },
    instances: [1, 4],
    runners: [1, 3],
    faults: [0, 12],
    calls: 80,
    troubles: [0, 5],
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
  heavy: {
    taste: { ...PLAIN, length: [2, 7], nesting: 3, children: true, slow: true },
    instances: [3, 12],
    runners: [2, 4],
    faults: [5, 60],
    calls: 500,
    troubles: [2, 15],
    calmAt: 180_000,
    pollMs: [2000, 5000, 20_000],
  },
  replay: {
    taste: { ...PLAIN, nesting: 2, loops: true },
    instances: [1, 1],
    runners: [1, 1],
    faults: [6, 12],
    calls: 24,
    troubles: [0, 0],
    calmAt: 150_000,
    pollMs: [30_000],
  },
  scopes: {
    taste: { ...PLAIN, length: [1, 3], nesting: 3, children: true, scopes: true },
    instances: [1, 2],
    runners: [1, 3],
    faults: [0, 10],
    calls: 60,
    troubles: [0, 4],
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
  rollback: {
    taste: { ...PLAIN, length: [2, 4], nesting: 2, slow: true, scopes: true, rollbacks: true },
    instances: [1, 2],
    runners: [1, 3],
    faults: [2, 14],
    calls: 50,
    troubles: [0, 4],
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
  ends: {
    taste: {
      ...PLAIN,
      length: [2, 4],
      nesting: 3,
      children: true,
      slow: true,
      scopes: true,
      rollbacks: true,
      cleanups: true,
    },
    instances: [1, 3],
    runners: [1, 3],
    faults: [2, 16],
    calls: 60,
    troubles: [0, 4],
    ends: [0, 2],
    calmAt: 60_000,
    pollMs: [5000, 20_000],
  },
};

const LEASE_MS = 8000;

/** The same seed and profile give the same scenario. */
export function makeScenario(seed: number, profile: Profile): Scenario {
  const random = new Random(seed).fork(profile);
  const facts = PROFILES[profile];
  const { calmAt } = facts;
  const workflows = makeWorkflows(random.fork("programs"), facts, profile);
  const instances = makeInstances(random.fork("instances"), facts);
  const runners = makeRunners(random.fork("runners"), facts, profile);
  const actions = [
    ...makeEvents(random.fork("events"), { workflows, instances, calmAt }),
    ...makeTroubles(random.fork("troubles"), { facts, instances, runners, calmAt }),
    ...makeEnds(random.fork("ends"), { facts, instances }),
    ...makeDeploys(random.fork("deploys"), { workflows, runners, calmAt }),
    ...makeLateEvents({ workflows, instances, calmAt }),
  ];
  const faults = makeFaults(random.fork("faults"), facts, profile);
  const eventCap = random.pick([3, 1000, 1000]);
  const wakes = { lost: random.pick([0, 0.2, 1]), doubled: random.pick([0, 0.3]) };
  return {
    seed,
    leaseMs: LEASE_MS,
    eventCap,
    workflows,
    instances,
    runners,
    actions,
    faults,
    wakes,
    calmAt,
  };
}

function makeWorkflows(
  random: Random,
  { taste }: ProfileFacts,
  profile: Profile,
): readonly WorkflowPlan[] {
  const isPoisoned = profile !== "replay" && random.chance(0.06);
  const program = new ProgramMaker(random, { ...taste, poison: isPoisoned }).make();
  const main = { name: "main", versions: versionsOf(random, program, profile) };
  const child = {
    name: "child",
    versions: [new ProgramMaker(random, { ...taste, children: false }).makeChild()],
  } as const;
  return [main, child];
}

function versionsOf(random: Random, program: Program, profile: Profile): WorkflowPlan["versions"] {
  if (profile === "replay" || !random.chance(0.15)) return [program];
  return twoVersionsOf(random, program);
}

function makeInstances(random: Random, facts: ProfileFacts): readonly InstancePlan[] {
  return Array.from({ length: random.int(...facts.instances) }, (_, index) => ({
    id: `i${index + 1}`,
    workflow: "main",
    createAt: index === 0 ? 0 : random.int(0, facts.calmAt / 4),
  }));
}

function makeRunners(random: Random, facts: ProfileFacts, profile: Profile): readonly RunnerPlan[] {
  const held = random.fork("held");
  return Array.from({ length: random.int(...facts.runners) }, () => {
    const kind = profile === "replay" || random.chance(0.7) ? "loop" : "tick";
    return {
      kind,
      skewMs: random.pick([0, 0, 45_000, -3_600_000, 86_400_000]),
      drift: random.pick([0, 0, 0.05, -0.05]),
      pollMs: random.pick(facts.pollMs),
      concurrency: random.pick([1, 2, 8]),
      deadlineMs: random.pick([null, 15_000, 60_000]),
      stays: kind === "tick" && held.chance(0.5),
    };
  });
}

function makeEvents(
  random: Random,
  of: {
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
      return [{ kind: "event", at, instance: id, type, copies: random.chance(0.1) ? 5 : 1 }];
    }),
  );
}

function makeTroubles(
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
    const instance = random.pick(instances).id;
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
      [2, () => ({ kind: "pause", at, instance })],
      [1, () => ({ kind: "resume", at, instance })],
      [0.5, () => ({ kind: "terminate", at, instance })],
      [0.7, () => ({ kind: "restart", at, instance })],
    ])();
  });
}

/** Most come while the run is at work, and some twice, or one beside the other. */
function makeEnds(
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
      return { kind, at: createAt + afterMs, instance: id };
    }),
  );
}

function makeDeploys(
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
function makeLateEvents(of: {
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

const FAULT_KINDS: readonly (readonly [number, FaultKind])[] = [
  [2, "refused"],
  [3, "answerLost"],
  [3, "late"],
  [2, "twice"],
  [1, "slow"],
  [1, "slowAnswer"],
  [2, "crashBefore"],
  [2, "crashAfter"],
  [2, "crashLate"],
];

const DEADLY: readonly (readonly [number, FaultKind])[] = [
  [1, "crashBefore"],
  [2, "crashAfter"],
  [1, "answerLost"],
];

function makeFaults(random: Random, facts: ProfileFacts, profile: Profile): readonly Fault[] {
  const kinds = profile === "replay" ? DEADLY : FAULT_KINDS;
  const faults = Array.from({ length: random.int(...facts.faults) }, () => ({
    call: random.int(1, facts.calls),
    kind: random.weighted(kinds),
    ms: random.pick([5, 60, 400, 2500, 12_000]),
  }));
  const calls = new Set<number>();
  return faults
    .filter(({ call }) => !calls.has(call) && calls.add(call))
    .toSorted((a, b) => a.call - b.call);
}
