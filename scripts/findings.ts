/** What a check prints and how it ends. */
import { pathToFileURL } from "node:url";

/** True when the module was started as the program, not imported. */
export function isProgram(moduleUrl: string): boolean {
  const started = process.argv[1];
  return started !== undefined && pathToFileURL(started).href === moduleUrl;
}

/** Prints every finding, or what was checked when there is none; a finding makes the process exit with 1. */
export function reportFindings(findings: readonly string[], checked: string): void {
  for (const finding of findings) console.error(finding);
  if (findings.length === 0) console.log(`ok: ${checked}`);
  else {
    console.error(`${findings.length} found; checked: ${checked}`);
    process.exitCode = 1;
  }
}
