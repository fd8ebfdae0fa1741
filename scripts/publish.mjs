/**
 * Publishes packed packages, each after those that it depends on. What the registry has already is left out, so what broke off can be
 * started again. Node and npm are all that it needs: where it runs, nothing is installed.
 *
 *   node scripts/publish.mjs <folder that `npm run pack` filled> <version> [options of npm publish]...
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const [folder, version, ...options] = process.argv.slice(2);
if (folder === undefined || version === undefined)
  throw new RangeError("usage: publish.mjs <folder> <version> [options of npm publish]...");

/** @type {readonly { readonly name: string, readonly version: string, readonly file: string }[]} */
const packages = JSON.parse(readFileSync(join(folder, "packages.json"), "utf8"));
const others = packages.filter((one) => one.version !== version);
if (packages.length === 0 || others.length > 0) {
  const said = others.map((one) => `${one.name} ${one.version}`).join(", ") || "nothing";
  throw new RangeError(`version ${version} is to be published, and packed are ${said}`);
}

for (const { name, file } of packages) {
  if (isPublished(`${name}@${version}`)) console.log(`${name}@${version} is there`);
  else publish(file);
}

/** @param {string} spec */
function isPublished(spec) {
  const { status, stdout } = spawnSync("npm", ["view", spec, "version"], { encoding: "utf8" });
  return status === 0 && stdout.trim() === version;
}

/** @param {string} file */
function publish(file) {
  const args = ["publish", resolve(folder, file), "--access", "public", ...options];
  const { status } = spawnSync("npm", args, { stdio: "inherit" });
  if (status !== 0) throw new RangeError(`${file} was not published, nor was what comes after it`);
}
