/** Plays seeds and judges them. */
import type { Profile } from "./generate/profile.ts";
import { makeScenario } from "./generate/scenarios.ts";
import { checkReport } from "./oracle/check.ts";
import type { Scenario } from "./scenario.ts";
import type { Report } from "./report.ts";
import { simulate } from "./simulate.ts";
import type { Violation } from "./world/facts.ts";

/** A seed with the profile that it is played in. */
export interface Seed {
  readonly seed: number;
  readonly profile: Profile;
}

export interface Verdict {
  readonly scenario: Scenario;
  readonly report: Report;
  readonly violations: readonly Violation[];
}

/** The profile of a seed that is played among others: mostly small ones, some rough. */
export function profileOf(seed: number): Profile {
  const place = seed % 20;
  if (place === 19) return "heavy";
  return place >= 14 ? "middle" : "light";
}

/** Plays one scenario. What the simulation itself throws is a violation too: the seed must be looked at. */
export async function judge(scenario: Scenario): Promise<Verdict> {
  const report = await simulate(scenario);
  return { scenario, report, violations: checkReport(report) };
}

export const play = ({ seed, profile }: Seed): Promise<Verdict> =>
  judge(makeScenario(seed, profile));

/** The command that plays a seed again. */
export const commandOf = ({ seed, profile }: Seed): string =>
  `npm run simulate -- --seed ${seed} --profile ${profile}`;
