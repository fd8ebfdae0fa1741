/** Check: what would be published works for those who install it: built, packed by npm and by pnpm, then read by publint and attw. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackage } from "./build.ts";
import { reportFindings } from "./findings.ts";
import { loadPublishedPackages, type PublishedPackage } from "./package-exports.ts";
import { readProjectFile, ROOT } from "./project-files.ts";

const PNPM = (JSON.parse(readProjectFile("package.json")) as { packageManager: string })
  .packageManager;

const PACKERS = ["npm", "pnpm"] as const;
type Packer = (typeof PACKERS)[number];
/** At once: what reads a package leaves a processor idle. */
const LANES = 2;

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

function run(command: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({
        failed: error !== null,
        output: `${stdout}${stderr}${stdout + stderr === "" ? (error?.message ?? "") : ""}`.trim(),
      }),
    );
  });
}

/** The command that packs all packages, one after another: starting either tool takes longer than packing with it. */
function packCommand(packer: Packer, folders: readonly string[], into: string): string[] {
  const places = folders.map((folder) => `./${folder}`);
  const options = ["--pack-destination", into];
  if (packer === "npm") return ["npm", "pack", "--silent", ...options, ...places];
  const filters = places.map((place) => `--filter=${place}`);
  return ["npx", "-y", PNPM, ...filters, "-r", "--workspace-concurrency=1", "pack", ...options];
}

async function packAll(packer: Packer, into: string): Promise<string[]> {
  const destination = join(into, packer);
  mkdirSync(destination, { recursive: true });
  const folders = packages.map(({ folder }) => folder);
  const [program = "", ...args] = packCommand(packer, folders, destination);
  const packed = await run(program, args);
  const missing = packages.filter((one) => !existsSync(tarballOf(one, packer, into)));
  return packed.failed || missing.length > 0 ? [`${packer} pack: ${packed.output}`] : [];
}

const tarballOf = (
  { manifest: { name, version } }: PublishedPackage,
  packer: Packer,
  into: string,
): string => join(into, packer, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);

/** Compares what both tools made, and runs the readers over it. */
async function checkTarballs(target: PublishedPackage, into: string): Promise<string[]> {
  const tarballs = PACKERS.map((packer) => tarballOf(target, packer, into));
  const compared = await compareTarballs(target.folder, tarballs);
  return [...compared, ...(await readTarball(target, tarballs[0] ?? ""))];
}

interface Contents {
  readonly files: readonly string[];
  readonly manifest: Readonly<Record<string, unknown>>;
}

async function openTarball(tarball: string): Promise<Contents> {
  const files = (await run("tar", ["-tzf", tarball])).output.split("\n").toSorted();
  const text = (await run("tar", ["-xzOf", tarball, "package/package.json"])).output;
  const all = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const published = PUBLISHED_FIELDS.map((field) => [field, all[field]] as const);
  return { files, manifest: Object.fromEntries(published) };
}

/** Who publishes may have either tool: files, entries and dependencies must be the same, and none of them a test. */
async function compareTarballs(folder: string, tarballs: readonly string[]): Promise<string[]> {
  const [first, second] = await Promise.all(tarballs.map(openTarball));
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
async function readTarball(
  { folder, manifest }: PublishedPackage,
  tarball: string,
): Promise<string[]> {
  const bin = join(ROOT, "node_modules/.bin");
  const publint = await run(join(bin, "publint"), ["run", tarball, "--strict"]);
  const hasEntries = Object.keys(manifest.exports ?? {}).length > 0;
  const attw = hasEntries
    ? await run(join(bin, "attw"), [tarball, "--profile", "esm-only", "--format", "ascii"])
    : { failed: false, output: "" };
  return [
    ...(publint.failed ? [`${folder}: publint: ${publint.output}`] : []),
    ...(attw.failed ? [`${folder}: attw: ${attw.output}`] : []),
  ];
}

/** A fault of one stage leaves the next nothing to look at. */
async function checkAll(into: string): Promise<string[]> {
  const broken = packages.flatMap((target) => buildPackage(target, packages));
  if (broken.length > 0) return broken;
  for (const packer of PACKERS) {
    const unpacked = await packAll(packer, into);
    if (unpacked.length > 0) return unpacked;
  }
  const waiting = [...packages];
  const findings: string[] = [];
  const readNext = async (): Promise<void> => {
    for (let target = waiting.shift(); target !== undefined; target = waiting.shift())
      findings.push(...(await checkTarballs(target, into)));
  };
  await Promise.all(Array.from({ length: LANES }, readNext));
  return findings;
}

const packages = loadPublishedPackages();
const into = mkdtempSync(join(tmpdir(), "escapement-pack-"));
const findings = await checkAll(into);
// Of these the tests of a CI run install what they make: `runtime-tests/src/pages/packages.ts`.
const kept = process.env["ESCAPEMENT_PACKED"] ?? "";
if (findings.length === 0 && kept !== "") cpSync(join(into, "npm"), kept, { recursive: true });
rmSync(into, { recursive: true });
reportFindings(findings, `built, packed and read ${packages.length} packages`);
