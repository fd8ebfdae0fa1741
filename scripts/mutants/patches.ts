/** The planted bugs: `mutants/*.patch`, a unified diff under a head that says what it plants and which tests are nearest. */
import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import { isTestFile, listFiles, readProjectFile, ROOT } from "../project-files.ts";

export interface Mutant {
  /** The file's name without its ending. */
  readonly name: string;
  /** The bug, in a sentence. */
  readonly plants: string;
  /** Test files, or folders of them, that should catch it; run first. */
  readonly nearest: readonly string[];
  /** Sources that the diff changes. */
  readonly changes: readonly string[];
  readonly diff: string;
}

const HEAD =
  /^plants: (?<plants>.+(?:\n {2}.+)*)\nnearest: (?<nearest>.+(?:\n {2}.+)*)\n\n(?<diff>diff --git [\s\S]+)$/;

/** All mutants, by name. @throws RangeError when a file has no proper head */
export function loadMutants(): readonly Mutant[] {
  const paths = listFiles((path) => /^mutants\/[^/]+\.patch$/.test(path));
  return paths.map((path) => parseMutant(basename(path, ".patch"), readProjectFile(path)));
}

/** Reads one file. @throws RangeError */
export function parseMutant(name: string, text: string): Mutant {
  const { plants, nearest, diff } = HEAD.exec(text)?.groups ?? {};
  if (plants === undefined || nearest === undefined || diff === undefined) {
    throw new RangeError(
      `mutants/${name}.patch: begins with "plants: …", "nearest: …" and an empty line`,
    );
  }
  const changes = [...diff.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, path]) => path ?? "");
  return {
    name,
    plants: plants.replaceAll(/\s+/g, " "),
    nearest: nearest.split(/[\s,]+/).filter((file) => file !== ""),
    changes,
    diff,
  };
}

/** Why the mutant cannot be planted in `folder`; null: it can. Nothing is changed. */
export function findObstacle({ diff }: Mutant, folder: string = ROOT): string | null {
  const { status, stderr } = applyDiff(diff, folder, ["--check"]);
  return status === 0 ? null : stderr.trim();
}

/** What the head calls nearest and no test is there: a run of nothing fails, and would count as a bug that was caught. */
export const findMissing = ({ nearest }: Pick<Mutant, "nearest">): readonly string[] =>
  nearest.filter((place) => !hasTests(place));

const hasTests = (place: string): boolean =>
  listFiles((path) => isTestFile(path) && path.startsWith(place)).length > 0;

/** Plants the diff in a checkout. Places are found by what surrounds them, so that lines above may come and go. */
export function applyDiff(
  diff: string,
  folder: string,
  flags: readonly string[] = [],
): { readonly status: number | null; readonly stderr: string } {
  const args = ["apply", "--unidiff-zero", "-C1", "--recount", ...flags, "-"];
  return spawnSync("git", args, { cwd: folder, input: diff, encoding: "utf8" });
}
