/** Makes scenarios of a seed. */
import type { Program } from "../program.ts";
import { Random } from "../random.ts";
import type {
  Fault,
  FaultKind,
  InstancePlan,
  ReaderPlan,
  RunnerPlan,
  Scenario,
  WorkflowPlan,
} from "../scenario.ts";
import {
  makeAgain,
  makeDeploys,
  makeEnds,
  makeEvents,
  makeLateEvents,
  makeMessages,
  makeQuestions,
  makeTroubles,
} from "./actions.ts";
import { makeDeadline, makeMoves, makeRunRetries } from "./deadlines.ts";
import type { Profile, ProfileFacts } from "./profile.ts";
import { PROFILES } from "./profiles.ts";
import { ProgramMaker } from "./programs.ts";
import type { ProgramTaste } from "./taste.ts";
import { twoVersionsOf } from "./versions.ts";

const LEASE_MS = 8000;

/** The same seed and profile give the same scenario. */
export function makeScenario(seed: number, profile: Profile): Scenario {
  const random = new Random(seed).fork(profile);
  const facts = PROFILES[profile];
  const { calmAt } = facts;
  const { topics } = facts.taste;
  const workflows = withRunRetries(
    random.fork("retries"),
    facts,
    makeWorkflows(random.fork("programs"), facts, profile),
  );
  const instances = makeInstances(random.fork("instances"), facts);
  const runners = makeRunners(random.fork("runners"), facts, profile);
  const actions = [
    ...makeEvents(random.fork("events"), { facts, workflows, instances, calmAt }),
    ...makeTroubles(random.fork("troubles"), { facts, instances, runners, calmAt }),
    ...makeEnds(random.fork("ends"), { facts, instances }),
    ...makeDeploys(random.fork("deploys"), { workflows, runners, calmAt }),
    ...makeAgain(random.fork("again"), { facts, instances }),
    ...makeQuestions(random.fork("questions"), { facts, instances }),
    ...makeMessages(random.fork("messages"), { facts, instances }),
    ...makeMoves(random.fork("moves"), { facts, instances }),
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
    ...(topics.length === 0 ? {} : { topics, topicChunk: random.fork("chunk").int(1, 3) }),
    runners,
    ...(facts.readers === undefined
      ? {}
      : { readers: makeReaders(random.fork("readers"), facts.readers, instances) }),
    ...(facts.streamEntries === undefined
      ? {}
      : { streamEntries: random.fork("stream").pick(facts.streamEntries) }),
    actions,
    faults,
    wakes,
    calmAt,
  };
}

const makeReaders = (
  random: Random,
  [min, max]: readonly [number, number],
  instances: readonly InstancePlan[],
): readonly ReaderPlan[] =>
  instances.flatMap(({ id: instance }) =>
    Array.from({ length: random.int(min, max) }, () => ({
      instance,
      pauseMs: random.pick([200, 1000, 5000, 30_000]),
      limit: random.int(1, 4),
      waitMs: random.pick([0, 0, 500, 15_000]),
    })),
  );

function makeWorkflows(
  random: Random,
  { taste, kids }: ProfileFacts,
  profile: Profile,
): readonly WorkflowPlan[] {
  const isPoisoned = profile !== "replay" && random.chance(0.06);
  const program = new ProgramMaker(random, { ...taste, poison: isPoisoned }).make();
  const main = { name: "main", versions: versionsOf(random, program, profile) };
  const child = {
    name: "child",
    versions: [new ProgramMaker(random, { ...taste, children: false }).makeChild()],
  } as const;
  return [main, child, ...(kids === undefined ? [] : makeKids(random.fork("kids"), kids))];
}

const withRunRetries = (
  random: Random,
  { runRetries = false }: ProfileFacts,
  workflows: readonly WorkflowPlan[],
): readonly WorkflowPlan[] =>
  workflows.map((workflow) => ({ ...workflow, ...(runRetries ? makeRunRetries(random) : {}) }));

/** Workflows whose instances steps start: those of one kind start those of the other. */
function makeKids(random: Random, taste: ProgramTaste): readonly WorkflowPlan[] {
  const grandkid = new ProgramMaker(random, { ...taste, invokes: [] }).make();
  return [
    { name: "kid", versions: [new ProgramMaker(random, taste).make()] },
    { name: "grandkid", versions: [grandkid] },
  ];
}

function versionsOf(random: Random, program: Program, profile: Profile): WorkflowPlan["versions"] {
  if (profile === "replay" || profile === "again" || !random.chance(0.15)) return [program];
  return twoVersionsOf(random, program);
}

function makeInstances(random: Random, facts: ProfileFacts): readonly InstancePlan[] {
  return Array.from({ length: random.int(...facts.instances) }, (_, index) => ({
    id: `i${index + 1}`,
    workflow: "main",
    createAt: index === 0 ? 0 : random.int(0, facts.calmAt / 4),
    ...(facts.taste.deadlines ? makeDeadline(random) : {}),
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
