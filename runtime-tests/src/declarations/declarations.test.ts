/** Declarations of a user's project whose exports have no written types: each type in them comes from an entry for users. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listPublicSources, loadPublishedPackages } from "../../../scripts/package-exports.ts";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const ROOT = pathOf("../../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const compilerOptions = {
  noEmit: false,
  declaration: true,
  emitDeclarationOnly: true,
  // The check of types has done that; what cannot be named is still told.
  noCheck: true,
  rewriteRelativeImportExtensions: true,
  rootDir: ROOT,
};

interface Compiled {
  /** What the compiler says. */
  readonly said: string;
  /** Names by the specifier that the declarations have them from. */
  readonly named: ReadonlyMap<string, ReadonlySet<string>>;
}

let folder: string;

beforeAll(async () => {
  const cache = pathOf("../../node_modules/.cache");
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, "declarations-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Each project is compiled for itself: a name counts only where the project's own imports lead the compiler to it. */
async function compile(name: string): Promise<Compiled> {
  const sources = pathOf(name);
  const outDir = join(folder, name);
  await mkdir(outDir);
  const files = (await readdir(sources)).map((file) => join(sources, file));
  const options = { ...compilerOptions, outDir };
  const project = join(outDir, "tsconfig.json");
  const extended = join(ROOT, "tsconfig.json");
  await writeFile(
    project,
    JSON.stringify({ extends: extended, compilerOptions: options, files, include: [] }),
  );
  const run = promisify(execFile)(process.execPath, [TSC, "--project", project], { cwd: sources });
  const { stdout: said } = await run.catch((error: { readonly stdout: string }) => error);
  // Those of the packages, which are sources here, are written beside them.
  return { said, named: await readNames(join(outDir, relative(ROOT, sources))) };
}

const IMPORTED = /import (?:type )?\{(?<names>[^}]*)\} from "(?<from>[^"]+)"/g;
const IN_PLACE = /import\("(?<from>[^"]+)"\)\.(?<names>\w+)/g;

async function readNames(from: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  for (const file of await readdir(from)) {
    if (!file.endsWith(".d.ts")) continue;
    const text = await readFile(join(from, file), "utf8");
    for (const { groups } of [...text.matchAll(IMPORTED), ...text.matchAll(IN_PLACE)]) {
      const { names = "", from: specifier = "" } = groups ?? {};
      const list = names.split(",").map((name) => name.replace(/^\s*type /, "").trim());
      found.set(specifier, new Set([...(found.get(specifier) ?? []), ...list]));
    }
  }
  return found;
}

const entries = new Set(
  loadPublishedPackages()
    .flatMap(listPublicSources)
    .map(({ specifier }) => specifier),
);

const listUnpublished = ({ named }: Compiled): string[] =>
  [...named.keys()].filter(
    (from) => !from.startsWith("./") && !PEERS.has(from) && !entries.has(from),
  );

const PEERS: ReadonlySet<string> = new Set(["http", "valibot"]);

test("the smallest application may export what it has without a written type", async () => {
  const small = await compile("small");
  expect(small.said).toBe("");
  expect(listUnpublished(small)).toEqual([]);
}, 600_000);

test("so may one of every platform, store and handler; and the entry of types has only what declarations name", async () => {
  const user = await compile("user");
  expect(user.said).toBe("");
  expect(listUnpublished(user)).toEqual([]);
  const text = await readFile(join(ROOT, "packages/engine/src/types.ts"), "utf8");
  const published = [...text.matchAll(/export type \{(?<names>[^}]*)\}/g)].flatMap(
    ({ groups }) => groups?.["names"]?.match(/\w+/g) ?? [],
  );
  const needed = [...user.named.values()];
  expect(published.filter((name) => !needed.some((names) => names.has(name)))).toEqual([]);
}, 600_000);
