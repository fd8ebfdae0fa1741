/**
 * Runs that tell of their progress while they are killed, cancelled, rolled back, brought back, forked, restarted and retried, and readers that
 * come back with their cursor when an answer was lost. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, it } from "vitest";
import type { Report } from "./report.ts";
import { chooseSeeds, expectClean, expectSameRows } from "./series.ts";
import type { ToldEntry } from "./world/streams.ts";

const { runs, from, shares } = chooseSeeds({ runs: 40 });

/** Whether an instance has told entries of which the later one is of another life of the same run, by the same step. */
const isToldAgain = (told: readonly ToldEntry[]): boolean =>
  told.some(({ stepKey, runNumber, life }, index) =>
    told
      .slice(0, index)
      .some((one) => one.stepKey === stepKey && one.runNumber === runNumber && one.life < life),
  );

/** Whether a run has told something before and after it was asked to end. */
function isToldAcross({ books, streams }: Report, asked: "cancel" | "rollback"): boolean {
  return [...streams.told].some(([key, told]) =>
    told.some(({ runNumber, at }) => {
      const request = books.requests.of(`${key}/${runNumber}`);
      return request?.all.has(asked) === true && at > request.since;
    }),
  );
}

/** What a simulation has met with, each once. */
function metBy(report: Report): ReadonlySet<string> {
  const { streams, readers, faultsMet, books } = report;
  const told = [...streams.told.values()].flat();
  const forks = [...books.copied].map(([to]) => to.slice(0, to.lastIndexOf("/")));
  const met: Readonly<Record<keyof typeof WANTED, boolean>> = {
    "an entry of a step": told.some(({ attempt }) => attempt === null),
    "an entry of a body": told.some(({ attempt }) => attempt !== null),
    "an entry of a later attempt": told.some(({ attempt }) => (attempt ?? 0) > 1),
    "an entry of a later run": told.some(({ runNumber }) => runNumber > 1),
    "an entry of an undo": told.some(({ stepKey }) => stepKey.endsWith("/undo")),
    "an entry after a cancel": isToldAcross(report, "cancel"),
    "an entry after a rollback was asked for": isToldAcross(report, "rollback"),
    "an entry told again by what was brought back": [...streams.told.values()].some(isToldAgain),
    "a fork that tells": forks.some((key) => (streams.told.get(key)?.length ?? 0) > 0),
    "a reader of a fork": readers.some(
      ({ workflow, instance, seen }) =>
        seen.length > 0 && forks.includes(`${workflow}/${instance}`),
    ),
    "a reader that misses entries": readers.some(({ read }) =>
      read.some(({ missed }) => missed > 0),
    ),
    "a reader of several pages": readers.some(({ pages, seen }) => seen.length > 0 && pages > 3),
    "a commit whose answer is lost": [...faultsMet].some((fault) =>
      /^(?:answerLost|crash\w+) commit$/u.test(fault),
    ),
  };
  return new Set(Object.entries(met).flatMap(([name, isMet]) => (isMet ? [name] : [])));
}

/** By one seed of how many each is met with, at least. */
const WANTED = {
  "an entry of a step": 4,
  "an entry of a body": 4,
  "an entry of a later attempt": 8,
  "an entry of a later run": 4,
  "an entry of an undo": 20,
  "an entry after a cancel": 8,
  "an entry after a rollback was asked for": 25,
  "an entry told again by what was brought back": 10,
  "a fork that tells": 12,
  "a reader of a fork": 12,
  "a reader that misses entries": 8,
  "a reader of several pages": 4,
  "a commit whose answer is lost": 6,
} as const;

describe(`${runs} simulations of progress from seed ${from}`, () => {
  for (const share of shares)
    it(`S6-017 seeds ${share.first} to ${share.last} keep every rule of the oracle`, async () => {
      await expectClean({ profile: "progress", metBy, wanted: WANTED }, share);
    }, 300_000);

  it("S6-017 reach the same rows and streams on memory, SQLite and Postgres", async () => {
    await expectSameRows("progress", { first: 4, last: 6 });
  }, 300_000);
});
