/** Commits that the store refuses for good, in scenarios of families: what such a run leaves behind is as after any other end. */
import { expect, it } from "vitest";
import { makeScenario } from "./generate/scenarios.ts";
import { commandOf, judge } from "./play.ts";
import type { Report } from "./report.ts";
import type { Fault, Scenario } from "./scenario.ts";
import { chooseSeeds } from "./series.ts";

const { runs, from, shares } = chooseSeeds({ runs: 30 });

/** What author code comes to and was told last is lost with the commit, so the model does not know the end. */
const OF_THE_CODE = new Set(["outcomes", "order", "replay", "asked", "rollback", "replies"]);

const toDenied = (fault: Fault): Fault =>
  fault.kind === "refused" || fault.kind === "late" ? { ...fault, kind: "denied" } : fault;

const toScenario = (plain: Scenario): Scenario => ({
  ...plain,
  faults: plain.faults.map(toDenied),
});

/** The runs that a denied commit has ended. */
const deniedIn = ({ books }: Report): readonly string[] =>
  [...books.ends]
    .filter(([, { error }]) => JSON.stringify(error).includes("COMMIT_REFUSED"))
    .map(([runId]) => runId);

for (const { first, last } of shares)
  it(`S5-010 S6-012 of ${runs} from seed ${from}, seeds ${first} to ${last} keep the rules of the oracle for what they leave behind`, async () => {
    let denied = 0;
    for (let seed = first; seed <= last; seed += 1) {
      const { report, violations } = await judge(toScenario(makeScenario(seed, "family")));
      const ended = deniedIn(report);
      const isOfCode = (rule: string, detail: string): boolean =>
        OF_THE_CODE.has(rule) && ended.some((runId) => detail.startsWith(`${runId} `));
      expect(
        violations.filter(({ rule, detail }) => !isOfCode(rule, detail)),
        commandOf({ seed, profile: "family" }),
      ).toEqual([]);
      denied += ended.length;
    }
    expect(denied).toBeGreaterThan((last - first) / 12 - 1);
  }, 300_000);
