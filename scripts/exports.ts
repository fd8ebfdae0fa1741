/** Check: what would be published works for those who install it: built, packed, then read by publint and attw. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackage } from "./build.ts";
import { reportFindings } from "./findings.ts";
import { loadPublishedPackages, type PublishedPackage } from "./package-exports.ts";
import { readProjectFile, ROOT } from "./project-files.ts";

const PNPM = (JSON.parse(readProjectFile("package.json")) as { packageManager: string })
  .packageManager;

interface Outcome {
  readonly failed: boolean;
  readonly output: string;
}

function run(command: string, args: readonly string[], cwd: string): Outcome {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  return { failed: status !== 0, output: `${stdout}${stderr}${error?.message ?? ""}`.trim() };
}

/** Runs the tools over one package's tarball. pnpm packs, because it applies `publishConfig` and `workspace:`. */
function checkTarball({ folder }: PublishedPackage, into: string): string[] {
  const absolute = join(ROOT, folder);
  const packed = run("npx", ["-y", PNPM, "pack", "--pack-destination", into], absolute);
  if (packed.failed) return [`${folder}: pnpm pack: ${packed.output}`];
  const name = readdirSync(into).find((file) => file.endsWith(".tgz"));
  if (name === undefined) return [`${folder}: pnpm pack made no tarball`];
  const tarball = join(into, name);
  const bin = join(ROOT, "node_modules/.bin");
  const publint = run(join(bin, "publint"), ["run", tarball, "--strict"], ROOT);
  const attw = run(
    join(bin, "attw"),
    [tarball, "--profile", "esm-only", "--format", "ascii"],
    ROOT,
  );
  rmSync(tarball);
  return [
    ...(publint.failed ? [`${folder}: publint: ${publint.output}`] : []),
    ...(attw.failed ? [`${folder}: attw: ${attw.output}`] : []),
  ];
}

const packages = loadPublishedPackages();
const into = mkdtempSync(join(tmpdir(), "escapement-pack-"));
const findings = packages.flatMap((target) => {
  const broken = buildPackage(target, packages);
  return broken.length > 0 ? broken : checkTarball(target, into);
});
rmSync(into, { recursive: true });
reportFindings(findings, `built, packed and read ${packages.length} packages`);
