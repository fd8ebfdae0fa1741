/**
 * Check: every generated file is what its generator makes today.
 *
 *   tsx scripts/generated.ts           compare
 *   tsx scripts/generated.ts --write   write
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ERROR_FACTS } from "../packages/engine/src/core/error-facts.ts";
import { renderErrorPages } from "./error-pages.ts";
import { reportFindings } from "./findings.ts";
import { loadPublishedPackages, toPublishedExports } from "./package-exports.ts";
import { listFiles, readProjectFile, ROOT } from "./project-files.ts";

/** Generators with their own program: run with `--check` to compare, without to write. */
const PROGRAMS = listFiles((path) => /^scripts\/generate-[a-z-]+\.ts$/.test(path));

const writes = process.argv.includes("--write");

function renderErrorFiles(): Map<string, string> {
  const pages = [...renderErrorPages(ERROR_FACTS)];
  return new Map(pages.map(([name, text]) => [`docs/errors/${name}`, text]));
}

/** Each manifest with `publishConfig.exports` made from `exports`, so that the two cannot drift apart. */
function renderManifests(): Map<string, string> {
  return new Map(
    loadPublishedPackages().map(({ folder }) => {
      const path = `${folder}/package.json`;
      const manifest = JSON.parse(readProjectFile(path)) as Record<string, unknown>;
      const sources = (manifest["exports"] ?? {}) as Record<string, string>;
      const published = { access: "public", exports: toPublishedExports(sources) };
      const next = { ...manifest, publishConfig: published };
      const isFresh = isDeepStrictEqual(manifest["publishConfig"], published);
      return [path, isFresh ? readProjectFile(path) : `${JSON.stringify(next, null, 2)}\n`];
    }),
  );
}

function compareOrWrite(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) => {
    const absolute = join(ROOT, path);
    if (existsSync(absolute) && readFileSync(absolute, "utf8") === text) return [];
    if (!writes) return [`${path} is stale: npm run generate`];
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, text);
    console.log(`wrote ${path}`);
    return [];
  });
}

function findOrphans(files: ReadonlyMap<string, string>): string[] {
  const orphans = listFiles((path) => path.startsWith("docs/errors/") && !files.has(path));
  if (!writes) return orphans.map((path) => `${path} is no longer generated: npm run generate`);
  for (const path of orphans) rmSync(join(ROOT, path));
  return [];
}

function runProgram(path: string): string[] {
  const args = ["--import", "tsx", join(ROOT, path), ...(writes ? [] : ["--check"])];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (writes) console.log(stdout.trim());
  return status === 0 ? [] : [`${path}: ${stderr.trim() || stdout.trim()}`];
}

const files = new Map([...renderErrorFiles(), ...renderManifests()]);
const findings = [...compareOrWrite(files), ...findOrphans(files), ...PROGRAMS.flatMap(runProgram)];
reportFindings(findings, `${files.size} generated files and ${PROGRAMS.length} generators`);
