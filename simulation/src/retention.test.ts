/**
 * Instances that are deleted a minute after their end, while others run, runners die and calls are lost: nobody who lives loses a row, and
 * families go as a whole. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, expect, it } from "vitest";
import type { Profile } from "./generate/profile.ts";
import { makeScenario } from "./generate/scenarios.ts";
import { judge } from "./play.ts";
import { Random } from "./random.ts";
import type { Report } from "./report.ts";
import type { Action, Fault, Scenario } from "./scenario.ts";
import { chooseSeeds } from "./series.ts";

const { runs, from, shares } = chooseSeeds({ runs: 30 });

const PROFILES: readonly Profile[] = ["family", "ends", "middle", "progress", "topics"];
const CALM_AT = 420_000;
/** Calls that begin from what may be deleted. */
const BEGINNING: ReadonlySet<string> = new Set([
  "restart",
  "retry",
  "rewind",
  "fork",
  "restartOrCreate",
]);

/** Messages that come once others that waited for the topic are gone. */
const lateMessages = (random: Random): readonly Action[] =>
  Array.from({ length: 8 }, () => ({
    kind: "emit",
    at: random.int(60_000, CALM_AT + 60_000),
    topic: random.pick(["news", "jobs"]),
    messageId: null,
  }));

/** A scenario whose trouble goes on while instances are deleted. Nobody repeats a create, or begins from what is deleted. */
function toRetained(seed: number): Scenario {
  const profile = PROFILES[seed % PROFILES.length] ?? "family";
  const scenario = makeScenario(seed, profile);
  const actions = scenario.actions.filter(
    ({ kind }) => profile !== "progress" || !BEGINNING.has(kind),
  );
  const random = new Random(seed).fork("retention");
  const late = Array.from({ length: 10 }, (): Fault => ({
    call: random.int(40, 300),
    kind: random.pick([
      "refused",
      "answerLost",
      "late",
      "twice",
      "crashBefore",
      "crashAfter",
      "crashLate",
    ]),
    ms: random.pick([5, 400, 12_000]),
  }));
  const calls = new Set(scenario.faults.map(({ call }) => call));
  const added = late.filter(({ call }) => !calls.has(call) && calls.add(call));
  return {
    ...scenario,
    actions: profile === "topics" ? [...actions, ...lateMessages(random)] : actions,
    retentionMs: 60_000,
    calmAt: CALM_AT,
    faults: [...scenario.faults, ...added].toSorted((a, b) => a.call - b.call),
  };
}

const WANTED = [
  "deleted",
  "a child deleted",
  "a fault of a purge",
  "a stream deleted",
  "one that took a message deleted",
  "a reader of what is deleted",
];

/** Instances that took a message of a topic, as `workflow/id`. */
const heardOf = ({ books }: Report): ReadonlySet<string> =>
  new Set(
    [...books.outcomes].flatMap(([runId, steps]) =>
      steps.some(({ type, status }) => type === "waitForTopic" && status === "completed")
        ? [runId.slice(0, runId.lastIndexOf("/"))]
        : [],
    ),
  );

const isReadOn = (
  { workflow, instance, seen }: Report["readers"][number],
  deleted: ReadonlyMap<string, number>,
): boolean => seen.length > 0 && deleted.has(`${workflow}/${instance}`);

describe(`${runs} simulations of retention from seed ${from}`, () => {
  for (const { first, last } of shares)
    it(`S8-005 seeds ${first} to ${last} keep every rule of the oracle`, async () => {
      const met = new Map<string, number>();
      const note = (what: string): void => void met.set(what, (met.get(what) ?? 0) + 1);
      for (let seed = first; seed <= last; seed += 1) {
        const { violations, report } = await judge(toRetained(seed));
        expect(violations, `seed ${seed}`).toEqual([]);
        const { deleted } = report.books;
        if (deleted.size > 0) note("deleted");
        if (report.family.children.some(({ key }) => deleted.has(key))) note("a child deleted");
        for (const key of deleted.keys()) {
          if ((report.streams.told.get(key)?.length ?? 0) > 0) note("a stream deleted");
          if (heardOf(report).has(key)) note("one that took a message deleted");
        }
        if (report.readers.some((reader) => isReadOn(reader, deleted)))
          note("a reader of what is deleted");
        for (const fault of report.faultsMet)
          if (/deleteExpired|findExpired/u.test(fault)) note("a fault of a purge");
      }
      for (const what of WANTED) expect(met.get(what) ?? 0, what).toBeGreaterThan(0);
    }, 300_000);
});
