/**
 * Compiles the published packages into `dist`, each against the compiled types of those it depends on.
 *
 *   tsx scripts/build.ts [folder]...     for instance packages/db; without one, all
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isProgram, reportFindings } from "./findings.ts";
import {
  loadPublishedPackages,
  type PublishedPackage,
  toPublishedExports,
  toSpecifier,
} from "./package-exports.ts";
import { withPlainImports } from "./plain-imports.ts";
import { ROOT } from "./project-files.ts";

/** Of the packages that are no adapters: those that have Node's own parts, in their clients or as a program. */
const NODE_PACKAGES = new Set(["packages/db", "packages/cli", "packages/create-escapement"]);

/** Compiled types by specifier, so that a dependency's sources are not compiled again into this package. */
function toTypePaths(
  packages: readonly PublishedPackage[],
  root: string,
): Record<string, string[]> {
  const entries = packages.flatMap(({ folder, manifest }) =>
    Object.entries(toPublishedExports(manifest.exports ?? {})).map(([entry, { types }]) => [
      toSpecifier(manifest.name, entry),
      [join(root, folder, types)],
    ]),
  );
  return Object.fromEntries(entries) as Record<string, string[]>;
}

/**
 * Compiles one package. Its dependencies must be compiled already. Returns what went wrong, as lines to print.
 *
 * @param root the repository, or a copy of it
 */
export function buildPackage(
  target: PublishedPackage,
  all: readonly PublishedPackage[],
  root: string = ROOT,
): string[] {
  const folder = join(root, target.folder);
  if (!existsSync(join(folder, "src"))) return [`${target.folder}: nothing to build`];
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  const config = join(folder, "tsconfig.build.tmp.json");
  writeFileSync(config, JSON.stringify(toBuildConfig(target, all, root)));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const result = spawnSync(process.execPath, [tsc, "--project", config], {
    cwd: root,
    encoding: "utf8",
  });
  rmSync(config);
  if (result.status !== 0) return [`${target.folder}:\n${result.stdout}${result.stderr}`];
  makeImportsPlain(join(folder, "dist"));
  return findMissingOutput(target, root);
}

function makeImportsPlain(dist: string): void {
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".js"))) {
    const path = join(dist, file);
    const code = readFileSync(path, "utf8");
    const plain = withPlainImports(code);
    if (plain !== code) writeFileSync(path, plain);
  }
}

function toBuildConfig(
  target: PublishedPackage,
  all: readonly PublishedPackage[],
  root: string,
): object {
  const usesNode = target.folder.startsWith("adapters/") || NODE_PACKAGES.has(target.folder);
  return {
    extends: "../../tsconfig.build.json",
    compilerOptions: {
      rootDir: "src",
      outDir: "dist",
      types: usesNode ? ["node"] : [],
      paths: toTypePaths(
        all.filter((other) => other !== target),
        root,
      ),
    },
    include: ["src"],
    // What only the generator runs, from source, and what only tests do.
    exclude: [
      "src/**/*.test.ts",
      "src/**/*.test-d.ts",
      "src/schema/generate.ts",
      "src/schema/fragno-migrations.ts",
      "src/adapter/testing",
      // It is compiled into what the package serves.
      "src/app",
      "src/**/testing-*",
    ],
  };
}

function findMissingOutput({ folder, manifest }: PublishedPackage, root: string): string[] {
  return Object.values(toPublishedExports(manifest.exports ?? {}))
    .flatMap(({ types, default: code }) => [types, code])
    .filter((path) => !existsSync(join(root, folder, path)))
    .map((path) => `${folder}: ${path} is exported but was not built`);
}

if (isProgram(import.meta.url)) {
  const all = loadPublishedPackages();
  const asked = process.argv.slice(2);
  const targets = asked.length === 0 ? all : all.filter(({ folder }) => asked.includes(folder));
  const findings = targets.flatMap((target) => buildPackage(target, all));
  reportFindings(findings, `built ${targets.map(({ folder }) => folder).join(", ")}`);
}
