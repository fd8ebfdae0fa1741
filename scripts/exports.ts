/** Check: what would be published works for those who install it: built, packed by npm and by pnpm, then read by publint and attw. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackage } from "./build.ts";
import { reportFindings } from "./findings.ts";
import { loadPublishedPackages, type PublishedPackage } from "./package-exports.ts";
import { readProjectFile, ROOT } from "./project-files.ts";

const PNPM = (JSON.parse(readProjectFile("package.json")) as { packageManager: string })
  .packageManager;

const PACKERS: Readonly<Record<string, readonly string[]>> = {
  npm: ["npm"],
  pnpm: ["npx", "-y", PNPM],
};

const PUBLISHED_FIELDS = [
  "name",
  "version",
  "license",
  "repository",
  "engines",
  "type",
  "bin",
  "exports",
  "sideEffects",
  "dependencies",
  "peerDependencies",
  "peerDependenciesMeta",
];

const REQUIRED_FIELDS = ["license", "repository", "engines", "exports"];
const REQUIRED_FILES = ["package/LICENSE", "package/README.md"];

interface Outcome {
  readonly failed: boolean;
  readonly output: string;
}

function run(command: string, args: readonly string[], cwd: string): Outcome {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  return { failed: status !== 0, output: `${stdout}${stderr}${error?.message ?? ""}`.trim() };
}

/** Packs with both tools, compares what they made, and runs the readers over it. */
function checkTarballs(target: PublishedPackage, into: string): string[] {
  const { folder } = target;
  const tarballs: string[] = [];
  for (const [name, [program = "", ...rest]] of Object.entries(PACKERS)) {
    const destination = join(into, name);
    mkdirSync(destination, { recursive: true });
    const packed = run(
      program,
      [...rest, "pack", "--pack-destination", destination],
      join(ROOT, folder),
    );
    const file = readdirSync(destination).find((entry) => entry.endsWith(".tgz"));
    if (packed.failed || file === undefined) return [`${folder}: ${name} pack: ${packed.output}`];
    tarballs.push(join(destination, file));
  }
  const [first = ""] = tarballs;
  const findings = [...compareTarballs(folder, tarballs), ...readTarball(target, first)];
  for (const tarball of tarballs) rmSync(tarball);
  return findings;
}

interface Contents {
  readonly files: readonly string[];
  readonly manifest: Readonly<Record<string, unknown>>;
}

function openTarball(tarball: string): Contents {
  const files = run("tar", ["-tzf", tarball], ROOT).output.split("\n").toSorted();
  const text = run("tar", ["-xzOf", tarball, "package/package.json"], ROOT).output;
  const all = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const published = PUBLISHED_FIELDS.map((field) => [field, all[field]] as const);
  return { files, manifest: Object.fromEntries(published) };
}

/** Who publishes may have either tool: files, entries and dependencies must be the same, and none of them a test. */
function compareTarballs(folder: string, tarballs: readonly string[]): string[] {
  const [first, second] = tarballs.map(openTarball);
  if (first === undefined) return [];
  const text = JSON.stringify(first);
  const { files, manifest } = first;
  return [
    ...(text === JSON.stringify(second) ? [] : ["npm and pnpm pack different packages"]),
    ...(text.includes("workspace:") ? ["a dependency has no version"] : []),
    ...files
      .filter((file) => /^package\/(?!templates\/).*(?:\.test(-d)?\.|\/testing-)/.test(file))
      .map((file) => `${file} is a test`),
    ...REQUIRED_FILES.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...REQUIRED_FIELDS.filter((field) => manifest[field] === undefined).map(
      (field) => `package.json has no ${field}`,
    ),
  ].map((finding) => `${folder}: ${finding}`);
}

/** A package that is only a program has no entry whose types attw could read. */
function readTarball({ folder, manifest }: PublishedPackage, tarball: string): string[] {
  const bin = join(ROOT, "node_modules/.bin");
  const publint = run(join(bin, "publint"), ["run", tarball, "--strict"], ROOT);
  const hasEntries = Object.keys(manifest.exports ?? {}).length > 0;
  const attw = hasEntries
    ? run(join(bin, "attw"), [tarball, "--profile", "esm-only", "--format", "ascii"], ROOT)
    : { failed: false, output: "" };
  return [
    ...(publint.failed ? [`${folder}: publint: ${publint.output}`] : []),
    ...(attw.failed ? [`${folder}: attw: ${attw.output}`] : []),
  ];
}

const packages = loadPublishedPackages();
const into = mkdtempSync(join(tmpdir(), "escapement-pack-"));
const findings = packages.flatMap((target) => {
  const broken = buildPackage(target, packages);
  return broken.length > 0 ? broken : checkTarballs(target, into);
});
rmSync(into, { recursive: true });
reportFindings(findings, `built, packed and read ${packages.length} packages`);
