/**
 * The packages as they are published, built and packed in a copy of them: while a package is packed its manifest is the published
 * one, and whoever read the repository then would read that. Without `node_modules`, which npm would walk through for each package.
 */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { buildPackage } from "./build.ts";
import type { PublishedPackage } from "./package-exports.ts";
import { readProjectFile, ROOT } from "./project-files.ts";

export type Packer = "npm" | "pnpm";

const PNPM = (JSON.parse(readProjectFile("package.json")) as { packageManager: string })
  .packageManager;

const ROOT_FILES = [
  "package.json",
  "pnpm-workspace.yaml",
  "tsconfig.base.json",
  "tsconfig.build.json",
  ".gitignore",
  "LICENSE",
  "scripts/prepack.mjs",
];
const ROOMS = ["packages", "adapters"];
const NOT_COPIED = new Set(["node_modules", "dist"]);

/** A command that ended. */
export interface Outcome {
  readonly failed: boolean;
  readonly output: string;
}

/** Runs a command to its end, in the folder. */
export function runIn(cwd: string, command: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({
        failed: error !== null,
        output: `${stdout}${stderr}${stdout + stderr === "" ? (error?.message ?? "") : ""}`.trim(),
      }),
    );
  });
}

/** Copies the packages into an empty folder and compiles them there. Returns what went wrong, as lines to print. */
export function buildInCopy(packages: readonly PublishedPackage[], copy: string): string[] {
  for (const file of ROOT_FILES) cpSync(join(ROOT, file), join(copy, file));
  for (const room of ROOMS)
    cpSync(join(ROOT, room), join(copy, room), {
      recursive: true,
      filter: (path) => !NOT_COPIED.has(basename(path)),
    });
  const links = linkModules(copy);
  const findings = packages.flatMap((target) => buildPackage(target, packages, copy));
  for (const link of links) rmSync(link);
  return findings;
}

/** For the compiler. */
function linkModules(copy: string): string[] {
  const folders = ROOMS.flatMap((room) =>
    readdirSync(join(ROOT, room)).map((name) => `${room}/${name}`),
  );
  return ["", ...folders].flatMap((folder) => {
    const target = join(ROOT, folder, "node_modules");
    if (!existsSync(target)) return [];
    const link = join(copy, folder, "node_modules");
    symlinkSync(target, link);
    return [link];
  });
}

/** Packs all that the copy has built, one after another: starting either tool takes longer than packing with it. */
export async function packCopy(
  packages: readonly PublishedPackage[],
  copy: string,
  packer: Packer,
  destination: string,
): Promise<string[]> {
  mkdirSync(destination, { recursive: true });
  const folders = packages.map(({ folder }) => `./${folder}`);
  const [program = "", ...args] = packCommand(packer, folders, destination);
  const { failed, output } = await runIn(copy, program, args);
  const missing = packages.filter((one) => !existsSync(join(destination, tarballNameOf(one))));
  return failed || missing.length > 0 ? [`${packer} pack: ${output}`] : [];
}

function packCommand(packer: Packer, folders: readonly string[], destination: string): string[] {
  const options = ["--pack-destination", destination];
  if (packer === "npm") return ["npm", "pack", "--silent", ...options, ...folders];
  const filters = folders.map((folder) => `--filter=${folder}`);
  return ["npx", "-y", PNPM, ...filters, "-r", "--workspace-concurrency=1", "pack", ...options];
}

/** As both tools name it. */
export const tarballNameOf = ({ manifest: { name, version } }: PublishedPackage): string =>
  `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
