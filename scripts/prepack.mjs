/**
 * Makes a package's folder what is published, whichever tool packs it: npm and pnpm both run `prepack` and `postpack`.
 * Inside the repository `exports` are sources and dependencies are `workspace:*`, which pnpm alone would translate.
 *
 *   node ../../scripts/prepack.mjs            in the package's folder
 *   node ../../scripts/prepack.mjs --restore
 */
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MANIFEST = "package.json";
const KEPT = "package.json.kept";
const LICENSE = "LICENSE";
const KINDS = ["dependencies", "peerDependencies", "optionalDependencies"];

if (process.argv.includes("--restore")) restore();
else prepare();

function prepare() {
  // One that was broken off has left what it kept.
  restore();
  const text = readFileSync(MANIFEST, "utf8");
  const { exports, publishConfig = {} } = JSON.parse(text);
  const manifest = JSON.parse(text);
  manifest.exports = publishConfig.exports ?? exports;
  manifest.publishConfig = { access: publishConfig.access };
  delete manifest.scripts;
  delete manifest.devDependencies;
  const versions = loadVersions();
  for (const kind of KINDS)
    for (const [name, range] of Object.entries(manifest[kind] ?? {}))
      if (range.startsWith("workspace:")) manifest[kind][name] = versions.get(name);
  renameSync(MANIFEST, KEPT);
  writeFileSync(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(ROOT, LICENSE), LICENSE);
}

function restore() {
  if (!existsSync(KEPT)) return;
  renameSync(KEPT, MANIFEST);
  rmSync(LICENSE, { force: true });
}

function loadVersions() {
  const versions = new Map();
  for (const folder of ["packages", "adapters"])
    for (const entry of readdirSync(join(ROOT, folder))) {
      const path = join(
        ROOT,
        folder,
        entry,
        existsSync(join(ROOT, folder, entry, KEPT)) ? KEPT : MANIFEST,
      );
      const { name, version } = JSON.parse(readFileSync(path, "utf8"));
      versions.set(name, version);
    }
  return versions;
}
