/**
 * Plays simulations from the command line; README of this folder: ORACLE.md.
 *
 *   npm run simulate -- --seeds 2000             seeds 1 to 2000, small and big ones mixed
 *   npm run simulate -- --light 100000           only small ones; likewise --middle, --heavy, --replay, --scopes, --rollback, --ends, --family,
 *                                                --batches, --again, --topics, --deadlines, --progress, --all
 *   npm run simulate -- --seeds 500 --from 9000  from another seed on
 *   npm run simulate -- --seed 123               one, told in full, shrunk when it fails
 *   npm run simulate -- --seed 123 --save name   and the shrunk scenario kept as a test
 *   npm run simulate -- --differential 200       on memory and SQLite (and Postgres with --postgres), rows compared
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { compareStores, createPostgresOpener, openSqlite } from "./differential.ts";
import { type Profile, PROFILE_NAMES } from "./generate/profile.ts";
import { makeScenario } from "./generate/scenarios.ts";
import { commandOf, judge, play, profileOf, type Seed } from "./play.ts";
import { showReport } from "./show.ts";
import { shrink } from "./shrink.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string" },
    light: { type: "string" },
    middle: { type: "string" },
    heavy: { type: "string" },
    replay: { type: "string" },
    scopes: { type: "string" },
    rollback: { type: "string" },
    ends: { type: "string" },
    family: { type: "string" },
    batches: { type: "string" },
    again: { type: "string" },
    topics: { type: "string" },
    deadlines: { type: "string" },
    progress: { type: "string" },
    all: { type: "string" },
    differential: { type: "string" },
    postgres: { type: "boolean", default: false },
    profile: { type: "string" },
    from: { type: "string", default: "1" },
    save: { type: "string" },
    "keep-going": { type: "boolean", default: false },
  },
});

const from = readCount("from", values.from);
process.exitCode = (await main()) ? 1 : 0;

async function main(): Promise<boolean> {
  const { seed, seeds = "200", differential } = values;
  if (seed !== undefined) return tell(readCount("seed", seed));
  if (differential !== undefined) return compareMany(readCount("differential", differential));
  for (const profile of PROFILE_NAMES) {
    const count = values[profile];
    if (count !== undefined) return playMany(readCount(profile, count), () => profile);
  }
  return playMany(readCount("seeds", seeds), profileOf);
}

function readCount(option: string, text: string): number {
  const count = Number(text);
  return Number.isSafeInteger(count) && count > 0
    ? count
    : refuse(option, text, "a whole number from 1");
}

function readProfile(text: string): Profile {
  const profile = PROFILE_NAMES.find((name) => name === text);
  return profile ?? refuse("profile", text, `one of ${PROFILE_NAMES.join(", ")}`);
}

function refuse(option: string, text: string, wanted: string): never {
  console.error(`simulate: --${option} must be ${wanted}, and is "${text}"`);
  process.exit(2);
}

/** One seed, in full. */
async function tell(seed: number): Promise<boolean> {
  const profile = values.profile === undefined ? profileOf(seed) : readProfile(values.profile);
  const { report, violations } = await play({ seed, profile });
  console.log(showReport(report, violations));
  const [first] = violations;
  if (first === undefined) return false;
  const scenario = await shrink(makeScenario(seed, profile), async (smaller) => {
    const verdict = await judge(smaller);
    return verdict.violations.some(({ rule }) => rule === first.rule);
  });
  const small = await judge(scenario);
  console.log(
    `\nshrunk by the rule "${first.rule}":\n${showReport(small.report, small.violations)}`,
  );
  if (values.save !== undefined) {
    const url = new URL(`regressions/${values.save}.json`, import.meta.url);
    writeFileSync(url, `${JSON.stringify(scenario, null, 2)}\n`);
  }
  return true;
}

async function playMany(count: number, profileFor: (seed: number) => Profile): Promise<boolean> {
  const failures = new Map<string, { seeds: number; first: string }>();
  let played = 0;
  let calls = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    const own: Seed = { seed, profile: profileFor(seed) };
    const { report, violations } = await play(own);
    played += 1;
    calls += report.callCount;
    for (const rule of new Set(violations.map((violation) => violation.rule))) {
      const detail = violations.find((violation) => violation.rule === rule)?.detail;
      const known = failures.get(rule) ?? { seeds: 0, first: `${commandOf(own)}\n    ${detail}` };
      failures.set(rule, { ...known, seeds: known.seeds + 1 });
    }
    if (violations.length > 0 && !values["keep-going"]) break;
  }
  const { user, system } = process.cpuUsage();
  const seconds = ((user + system) / 1e6).toFixed(1);
  console.log(`${played} seeds, ${calls} calls of the store, ${seconds} s of processor time`);
  for (const [rule, { seeds, first }] of failures)
    console.log(`FAILED by the rule "${rule}" in ${seeds} seeds, first:\n    ${first}`);
  return failures.size > 0;
}

async function compareMany(count: number): Promise<boolean> {
  const postgres = values.postgres ? await createPostgresOpener() : null;
  let isBad = false;
  for (let seed = from; seed < from + count; seed += 1) {
    const profile = profileOf(seed);
    const open = postgres?.open ?? openSqlite;
    const difference = await compareStores(makeScenario(seed, profile), open);
    if (difference === null) continue;
    isBad = true;
    console.log(`seed ${seed} (${profile}) differs:\n${difference}`);
  }
  await postgres?.remove();
  console.log(`${count} seeds compared with ${postgres === null ? "SQLite" : "Postgres"}`);
  return isBad;
}
