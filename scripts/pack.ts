/**
 * Builds the published packages and packs them by npm, as somebody would install them.
 *
 *   tsx scripts/pack.ts <folder for the tarballs>
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reportFindings } from "./findings.ts";
import { loadPublishedPackages, type PublishedPackage } from "./package-exports.ts";
import { buildInCopy, packCopy } from "./packed-copy.ts";

async function pack(packages: readonly PublishedPackage[], destination: string): Promise<string[]> {
  const copy = mkdtempSync(join(tmpdir(), "escapement-pack-"));
  const broken = buildInCopy(packages, copy);
  const findings = broken.length > 0 ? broken : await packCopy(packages, copy, "npm", destination);
  rmSync(copy, { recursive: true });
  return findings;
}

const [destination] = process.argv.slice(2);
if (destination === undefined) throw new RangeError("where shall the tarballs be?");
const packages = loadPublishedPackages();
reportFindings(await pack(packages, destination), `built and packed ${packages.length} packages`);
