/** The packages of this repository as somebody installs them: built, packed, and given out by a registry on this machine. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { madeOnce } from "@escapement-internal/test-servers";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);

export interface PackageRegistry {
  /** Text of an `.npmrc` that has the packages from here, and all others from where they are. */
  readonly npmrc: string;
  /** Address of a package's tarball. */
  readonly tarballOf: (name: string) => string;
  readonly stop: () => void;
}

interface Packed {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly tarball: Buffer;
}

/** All packages that are published, built and packed once for all test files of a run. */
export async function servePackages(): Promise<PackageRegistry> {
  const folder = await madeOnce("packages", packInto);
  const tarballs = readdirSync(folder)
    .filter((name) => name.endsWith(".tgz"))
    .map((name) => join(folder, name));
  const packed = await Promise.all(tarballs.map(readTarball));
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url ?? "").slice(1);
    // Another run may have the same port, and other packages of the same version.
    response.setHeader("cache-control", "no-store");
    const found = packed.find(({ manifest }) => manifest.name === name.split("/-/")[0]);
    if (found === undefined) response.writeHead(404).end();
    else if (name.endsWith(".tgz")) response.end(found.tarball);
    else describePackage(found, `http://${request.headers.host}`, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    npmrc: `@escapement:registry=${origin}/\n`,
    tarballOf: (name) => `${origin}/${name}/-/packed.tgz`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** @source github.com/npm/registry, docs/responses/package-metadata.md, read 2026-11 */
function describePackage({ manifest, tarball }: Packed, origin: string, response: ServerResponse) {
  const { name, version } = manifest;
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const dist = { tarball: `${origin}/${name}/-/${version}.tgz`, integrity };
  const versions = { [version]: { ...manifest, dist } };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
}

/** Where `npm run check:exports` has put them, if it was told to, as `.ci/run` tells it. */
const PACKED = process.env["ESCAPEMENT_PACKED"] ?? "";

async function packInto(folder: string): Promise<void> {
  if (existsSync(PACKED)) {
    cpSync(PACKED, folder, { recursive: true });
    return;
  }
  const args = ["--import", import.meta.resolve("tsx"), "scripts/pack.ts", folder];
  await run(process.execPath, args, { cwd: ROOT });
}

async function readTarball(file: string): Promise<Packed> {
  const { stdout } = await run("tar", ["-xzOf", file, "package/package.json"]);
  return { manifest: JSON.parse(stdout) as Packed["manifest"], tarball: readFileSync(file) };
}
