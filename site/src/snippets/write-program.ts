/** Makes a program of the pages' snippets: a folder a page, in which a file is what a reader would save. */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ROOT } from "../../../scripts/project-files.ts";
import type { Snippet } from "./read-snippets.ts";

/** Below the site's folder, so that its dependencies are found. */
const FOLDER = "site/.cache/snippets";
/** Names that pages use without saying where they come from, and files that they import and do not show. */
const GIVEN = join(ROOT, "site/given");

const TYPES_OF_RUNTIMES = [
  join(ROOT, "runtime-tests/src/runtime-modules.d.ts"),
  join(ROOT, "examples/platforms/deno/src/deno.d.ts"),
];

/** As strict as the deploy pages tell readers to be. */
const COMPILER_OPTIONS = {
  target: "ES2023",
  module: "ESNext",
  moduleResolution: "bundler",
  lib: ["ES2023", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
  types: ["node"],
  strict: true,
  noUncheckedIndexedAccess: true,
  // For the sources of the packages, which are compiled with it.
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  moduleDetection: "force",
};

/** A written program, and where each of its files comes from. */
export interface SnippetProgram {
  readonly project: string;
  /** Snippets by the path of their file, relative to the repository. */
  readonly origins: ReadonlyMap<string, Snippet>;
}

/** Writes all snippets and the project that compiles them into their folder, in the place of what was there. */
export function writeProgram(snippets: readonly Snippet[]): SnippetProgram {
  const folder = join(ROOT, FOLDER);
  rmSync(folder, { recursive: true, force: true });
  const origins = new Map<string, Snippet>();
  for (const snippet of snippets) {
    const pageFolder = join(folder, snippet.page.replace(/\.md$/, "").replaceAll("/", "-"));
    const wanted = join(pageFolder, snippet.file);
    // A page may show one file twice: the second time it is a file of its own beside it.
    const path = origins.has(wanted)
      ? wanted.replace(/(?=\.tsx?$)/, `.line-${snippet.line}`)
      : wanted;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, snippet.code);
    origins.set(path, snippet);
    giveFiles(snippet, dirname(path));
  }
  const project = join(folder, "tsconfig.json");
  const include = ["**/*.ts", "**/*.tsx", join(GIVEN, "*.ts"), ...TYPES_OF_RUNTIMES];
  writeFileSync(project, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include }, null, 2));
  return { project, origins };
}

/** A page that shows no `workflow.ts` of its own imports a usual one. */
function giveFiles({ code }: Snippet, folder: string): void {
  for (const [, path = ""] of code.matchAll(/(?:from |import\()"(\.[./]*\/[\w-]+\.ts)"/g)) {
    const given = join(GIVEN, "files", basename(path));
    if (existsSync(given)) cpSync(given, join(folder, path), { force: false });
  }
}
