/** Check: what would be published works for those who install it: built, packed by npm and by pnpm, then read by publint and attw. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reportFindings } from "./findings.ts";
import { loadPublishedPackages, type PublishedPackage } from "./package-exports.ts";
import { buildInCopy, packCopy, runIn, tarballNameOf } from "./packed-copy.ts";
import { readByAttw, readByPublint } from "./read-tarball.ts";

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

interface Contents {
  readonly files: readonly string[];
  readonly manifest: Readonly<Record<string, unknown>>;
}

async function openTarball(tarball: string): Promise<Contents> {
  const tar = async (...args: string[]) => (await runIn(into, "tar", args)).output;
  const files = (await tar("-tzf", tarball)).split("\n").toSorted();
  const text = await tar("-xzOf", tarball, "package/package.json");
  const all = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const published = PUBLISHED_FIELDS.map((field) => [field, all[field]] as const);
  return { files, manifest: Object.fromEntries(published) };
}

/** Who publishes may have either tool: files, entries and dependencies must be the same, and none of them a test. */
async function compareTarballs(target: PublishedPackage): Promise<string[]> {
  const name = tarballNameOf(target);
  const [first, second] = await Promise.all([
    openTarball(join(byNpm, name)),
    openTarball(join(byPnpm, name)),
  ]);
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
  ].map((finding) => `${target.folder}: ${finding}`);
}

/** A package that is only a program has no entry whose types attw could read. */
async function readTarball(target: PublishedPackage): Promise<string[]> {
  const tarball = readFileSync(join(byNpm, tarballNameOf(target)));
  const hasEntries = Object.keys(target.manifest.exports ?? {}).length > 0;
  const findings = [
    ...(await readByPublint(tarball)),
    ...(hasEntries ? await readByAttw(tarball) : []),
  ];
  return findings.map((finding) => `${target.folder}: ${finding}`);
}

/** A fault of one stage leaves the next nothing to look at. What npm has packed is read while pnpm packs. */
async function checkAll(): Promise<string[]> {
  const copy = join(into, "copy");
  const broken = buildInCopy(packages, copy);
  if (broken.length > 0) return broken;
  const unpacked = await packCopy(packages, copy, "npm", byNpm);
  if (unpacked.length > 0) return unpacked;
  const packing = packCopy(packages, copy, "pnpm", byPnpm);
  const findings: string[] = [];
  for (const target of packages) findings.push(...(await readTarball(target)));
  const unpackedByPnpm = await packing;
  if (unpackedByPnpm.length > 0) return [...findings, ...unpackedByPnpm];
  for (const target of packages) findings.push(...(await compareTarballs(target)));
  return findings;
}

const packages = loadPublishedPackages();
const into = mkdtempSync(join(tmpdir(), "escapement-pack-"));
const byNpm = join(into, "npm");
const byPnpm = join(into, "pnpm");
const findings = await checkAll();
// Of these the tests of a CI run install what they make: `runtime-tests/src/pages/packages.ts`.
const kept = process.env["ESCAPEMENT_PACKED"] ?? "";
if (findings.length === 0 && kept !== "") cpSync(byNpm, kept, { recursive: true });
rmSync(into, { recursive: true });
reportFindings(findings, `built, packed and read ${packages.length} packages`);
