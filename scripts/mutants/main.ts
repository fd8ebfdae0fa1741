/**
 * Planted bugs and the tests that catch them.
 *
 *   npm run mutants                     plant each in a scratch clone of the last commit; write mutants/RESULTS.md
 *   npm run mutants -- claim event      those whose names have one of the texts; the others keep their last result
 *   npm run mutants -- --without-baseline       trust that the tests pass without a bug
 *   npm run mutants -- --check          do all patches still apply? (seconds; part of npm run check)
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "@escapement-internal/test-servers";
import { reportFindings } from "../findings.ts";
import { ROOT } from "../project-files.ts";
import { findMissing, findObstacle, loadMutants, type Mutant } from "./patches.ts";
import {
  findFault,
  hashDiff,
  loadResults,
  renderResults,
  type Result,
  type Results,
  RESULTS,
} from "./results.ts";
import { openScratch, type Scratch } from "./scratch.ts";

const MUTANTS_MIN = 40;

const { values: flags, positionals } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    "without-baseline": { type: "boolean", default: false },
  },
  allowPositionals: true,
});

function check(mutants: readonly Mutant[]): void {
  const findings = mutants.flatMap((mutant) => {
    const obstacle = findObstacle(mutant);
    return [
      ...(obstacle === null ? [] : [`mutants/${mutant.name}.patch does not apply: ${obstacle}`]),
      ...findMissing(mutant).map((place) => `mutants/${mutant.name}.patch: no test in ${place}`),
    ];
  });
  if (mutants.length < MUTANTS_MIN)
    findings.push(`${mutants.length} mutants; ${MUTANTS_MIN} wanted`);
  reportFindings(findings, `${mutants.length} mutants apply`);
}

/** The tests of the rooms around: the package that the bug is in, and the proofs. */
function restOf({ changes }: Mutant): string[] {
  const packages = changes.flatMap((path) => /^(?:packages|adapters)\/[^/]+\//.exec(path) ?? []);
  return [...new Set([...packages, "proofs/"])];
}

async function judge(scratch: Scratch, mutant: Mutant): Promise<Result> {
  const hash = hashDiff(mutant);
  scratch.plant(mutant);
  if (!(await scratch.typesHold())) return { kind: "invalid", by: "the compiler", hash };
  const near = await scratch.runTests(mutant.nearest);
  if (near.caughtBy !== null) return { kind: "near", by: near.caughtBy, hash };
  const rest = await scratch.runTests(restOf(mutant));
  if (rest.caughtBy !== null) return { kind: "rest", by: rest.caughtBy, hash };
  return { kind: "survived", by: "", hash };
}

/** Plants them one by one; what is found of each is kept at once, so that a run that is cut off has not been for nothing. */
async function run(mutants: readonly Mutant[]): Promise<void> {
  const server = await startPostgres({ durable: false });
  const scratch = await openScratch({ ...process.env, DATABASE_URL: server.url, NO_COLOR: "1" });
  try {
    const nearest = [...new Set(mutants.flatMap((mutant) => mutant.nearest))];
    console.log(`${mutants.length} mutants of ${scratch.commit}`);
    // Tests that fail without a bug would catch every bug.
    const baseline = flags["without-baseline"] ? null : await scratch.runTests(nearest);
    if (typeof baseline?.caughtBy === "string")
      throw new RangeError(`without a bug: ${baseline.caughtBy}`);
    for (const mutant of mutants) {
      const startedAt = performance.now();
      const result = await judge(scratch, mutant);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      console.log(`${result.kind.padEnd(8)} ${seconds} s ${mutant.name} ${result.by}`);
      saveResults({ ...loadResults(), [mutant.name]: result });
    }
  } finally {
    scratch.remove();
    await server.stop();
  }
}

/** Those of mutants that are no more are dropped. */
function saveResults(results: Results): void {
  const mutants = loadMutants();
  const known = mutants.flatMap(({ name }) => {
    const result = results[name];
    return result === undefined ? [] : [[name, result] as const];
  });
  const text = `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`;
  writeFileSync(join(ROOT, RESULTS), text);
  writeFileSync(join(ROOT, "mutants", "RESULTS.md"), renderResults(mutants, results));
}

const all = loadMutants();
const asked = all.filter(({ name }) => positionals.some((text) => name.includes(text)));
if (flags.check) check(all);
else {
  const chosen = positionals.length === 0 ? all : asked;
  await run(chosen);
  const results = loadResults();
  const lived = chosen.flatMap((mutant) => {
    const fault = findFault(mutant, results);
    return fault === null ? [] : [`${mutant.name}: ${fault}`];
  });
  reportFindings(lived, `${chosen.length} mutants caught`);
}
