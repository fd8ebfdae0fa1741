/**
 * Builds the published packages and packs them by npm, as somebody would install them. Beside the tarballs, `packages.json` has
 * their names, each after those that it depends on.
 *
 *   tsx scripts/pack.ts <folder for the tarballs>
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reportFindings } from "./findings.ts";
import { loadPublishedPackages, type PublishedPackage } from "./package-exports.ts";
import { buildInCopy, packCopy, tarballNameOf } from "./packed-copy.ts";

async function pack(packages: readonly PublishedPackage[], destination: string): Promise<string[]> {
  const copy = mkdtempSync(join(tmpdir(), "escapement-pack-"));
  const broken = buildInCopy(packages, copy);
  const findings = broken.length > 0 ? broken : await packCopy(packages, copy, "npm", destination);
  rmSync(copy, { recursive: true });
  writeFileSync(join(destination, "packages.json"), JSON.stringify(packages.map(toPacked)));
  return findings;
}

/** What `publish.mjs` reads. */
const toPacked = (one: PublishedPackage): { name: string; version: string; file: string } => ({
  name: one.manifest.name,
  version: one.manifest.version,
  file: tarballNameOf(one),
});

const [destination] = process.argv.slice(2);
if (destination === undefined) throw new RangeError("where shall the tarballs be?");
const packages = loadPublishedPackages();
reportFindings(await pack(packages, destination), `built and packed ${packages.length} packages`);
