/** Check: no file has two tests of one name, so a failing name points at one test. */
import { isProgram, reportFindings } from "./findings.ts";
import { isTestFile, lineOf, listFiles, readProjectFile } from "./project-files.ts";
import { readTestTitles } from "./test-titles.ts";

/** Repeated titles of one file, as lines to print. */
export function findRepeatedTitles(path: string, text: string): string[] {
  const seen = new Set<string>();
  return readTestTitles(text).flatMap(({ title, kind, offset }) => {
    const key = `${kind} ${title}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [`${path}:${lineOf(text, offset)}: a second ${kind} named "${title}"`];
  });
}

if (isProgram(import.meta.url)) {
  const paths = listFiles(
    (path) => isTestFile(path) || /^packages\/[^/]+\/src\/testing\/.*\.ts$/.test(path),
  );
  const findings = paths.flatMap((path) => findRepeatedTitles(path, readProjectFile(path)));
  reportFindings(findings, `test names of ${paths.length} files`);
}
