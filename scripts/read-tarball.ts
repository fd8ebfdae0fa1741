/** What publint and attw find in a packed package. By their functions: their commands would start, and load a compiler, for each package. */
import { posix } from "node:path";
import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

/** Ways to import that the packages do not offer: they have only ES modules. attw's profile `esm-only` leaves out the same. */
const NOT_OFFERED: ReadonlySet<string> = new Set(["node10", "node16-cjs"]);

/** Errors and warnings; suggestions are left out. */
export async function readByPublint(tarball: Uint8Array): Promise<string[]> {
  const { messages, pkg } = await publint({
    pack: { tarball: Uint8Array.from(tarball).buffer },
    strict: true,
  });
  return messages
    .filter(({ type }) => type === "error")
    .map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
}

/** For a package with entries: one without types is a finding. */
export async function readByAttw(tarball: Uint8Array): Promise<string[]> {
  const opened = createPackageFromTarballData(Uint8Array.from(tarball));
  const folders = listFolders(opened.listFiles());
  // The compiler asks this some ten thousand times, and attw's own answer looks at every file.
  opened.directoryExists = (path) => folders.has(path.replace(/(?<=.)\/$/, ""));
  const result = await checkPackage(opened);
  if (result.types === false) return ["attw: no types"];
  return result.problems.filter(isOffered).map(toFinding);
}

function listFolders(files: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const file of files)
    for (let path = posix.dirname(file); !folders.has(path); path = posix.dirname(path))
      folders.add(path);
  return folders;
}

const isOffered = (problem: Problem): boolean =>
  !("resolutionKind" in problem && NOT_OFFERED.has(problem.resolutionKind));

function toFinding(problem: Problem): string {
  const withoutTrace = (key: string, value: unknown) => (key === "trace" ? undefined : value);
  return `attw: ${JSON.stringify(problem, withoutTrace)}`;
}
