/** The last long run, as a page that is committed. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { list } from "./format-report.ts";
import type { ChaosReport } from "./run-chaos.ts";

const PAGE = fileURLToPath(new URL("../RESULTS.md", import.meta.url));

export function writeResults(reports: readonly ChaosReport[]): void {
  const kills = reports.reduce((sum, report) => sum + report.kills, 0);
  const violations = reports.reduce((sum, report) => sum + report.violations.length, 0);
  const text = `# The last long run of chaos

Made by \`npm run chaos -- --long\`, ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}: **${violations} violations**, ${kills} SIGKILLs.

${reports.map(toSection).join("\n")}`;
  writeFileSync(PAGE, text);
  execFileSync("npx", ["oxfmt", PAGE], { stdio: "ignore" });
}

function toSection(report: ChaosReport): string {
  const rows: readonly (readonly [string, string | number])[] = [
    ["seed", report.seed],
    ["seconds", report.seconds],
    ["instances", report.instances],
    ["bodies that began", report.bodies],
    ["executions of workflow functions", report.sessions],
    ["processes", report.processes],
    ["SIGKILLs", report.kills],
    ["faults", list(report.faults)],
    ["requests", list(report.deliveries)],
    ["log lines a minute and process, at most", report.mostLogLinesAMinute],
    ["from the last fault to the last instance's end", `${report.settledMs} ms`],
    ["violations", report.violations.length],
  ];
  const table = rows.map(([name, value]) => `| ${name} | ${value} |`).join("\n");
  const broken = report.violations
    .map(
      ({ promise, id, evidence }) =>
        `- ${promise} ${id}: ${evidence.split("\n")[0]?.slice(0, 200)}\n`,
    )
    .join("");
  return `## ${report.subject}\n\n| | |\n| --- | --- |\n${table}\n\n${broken}`;
}
