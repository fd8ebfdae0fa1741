/**
 * `npm run recovery`: how long instances stand still after each fault, with default settings; writes the table of
 * docs/reliability.md.
 *
 *   npm run recovery                               each fault three times; writes the table
 *   npm run recovery -- --only SIGKILL --times 5   some; prints only
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundleWorker } from "../../../proofs/src/worker/spawn-worker.ts";
import { openPostgresSubject } from "../subjects/postgres.ts";
import { measure } from "./measure.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { BEYOND_MS, type Standstill, summarise } from "./standstill.ts";

const PAGE = fileURLToPath(new URL("../../../docs/reliability.md", import.meta.url));
const MARKS = ["<!-- recovery: made by npm run recovery -->", "<!-- end of recovery -->"] as const;

const { values } = parseArgs({
  options: { only: { type: "string" }, times: { type: "string", default: "3" } },
});
const chosen = SCENARIOS.filter(({ name }) => name.includes(values.only ?? ""));
const bundle = await bundleWorker(new URL("../worker.ts", import.meta.url));

async function measureOften(scenario: Scenario): Promise<readonly Standstill[]> {
  const all: Standstill[] = [];
  for (let time = 0; time < Number(values.times); time += 1) {
    const some = await measure({ openSubject: openPostgresSubject, bundle, scenario });
    const standstills = some?.standstills ?? [];
    const { hit, medianMs, worstMs, worstAfterMs } = summarise(standstills);
    process.stderr.write(
      `${scenario.name}: ${hit} hit, median ${Math.round(medianMs)}, worst ${Math.round(worstMs)} ms, after its end ${Math.round(worstAfterMs)} ms\n`,
    );
    all.push(...standstills);
  }
  return all;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function toRow(scenario: Scenario, all: readonly Standstill[]): string {
  const { hit, medianMs, worstMs, worstAfterMs } = summarise(all);
  const lasts = scenario.lastsMs === 0 ? "–" : seconds(scenario.lastsMs);
  const times = [
    hit === 0 ? `none above ${seconds(BEYOND_MS)}` : seconds(medianMs),
    seconds(worstMs),
    seconds(worstAfterMs),
  ];
  const cells = all.length === 0 ? ["not measured here", "", ""] : times;
  return `| ${[scenario.name, lasts, `${hit} of ${all.length}`, ...cells].join(" | ")} |`;
}

function writePage(rows: readonly string[]): void {
  const [begin, end] = MARKS;
  const page = readFileSync(PAGE, "utf8");
  const table = [
    "| fault | it lasts | instances hit | standstill, median | worst | worst after its end |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
  const made = `Measured ${new Date().toISOString().slice(0, 10)}, runs of each fault: ${values.times}; Node ${process.versions.node}.`;
  const [before = "", rest = ""] = page.split(begin);
  const [, after = ""] = rest.split(end);
  writeFileSync(PAGE, `${before}${begin}\n\n${table}\n\n${made}\n\n${end}${after}`);
  execFileSync("npx", ["oxfmt", PAGE], { stdio: "ignore" });
}

try {
  const rows: string[] = [];
  for (const scenario of chosen) rows.push(toRow(scenario, await measureOften(scenario)));
  process.stdout.write(`${rows.join("\n")}\n`);
  if (values.only === undefined) writePage(rows);
} finally {
  bundle.remove();
}
