/** A project in an empty folder, made by a page's own lines. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { expect } from "vitest";
import type { PackageRegistry } from "./packages.ts";
import { type Page, readPage, writeFiles } from "./read-page.ts";

export interface Project {
  readonly folder: string;
  readonly page: Page;
  /** Runs a line in the folder, as a shell does. @returns its standard output @throws when it fails, with what it said */
  run(line: string, env?: Readonly<Record<string, string>>): Promise<string>;
  remove(): void;
}

/** What of a platform its project is made by. */
export interface ProjectPlan {
  /** Of `docs/deploy/<name>.md`. */
  readonly name: string;
  /** For each line of the page that is run. */
  readonly env?: Readonly<Record<string, string>>;
  /** Says of a line of "Install" that what it installs is here already. */
  readonly isHere?: (line: string) => boolean;
  /** Makes what the lines that are not run would have made. */
  readonly prepare?: (folder: string) => void;
}

/** Follows "Install", then writes the page's files. */
export async function makeProject(
  { name, env, isHere = () => false, prepare }: ProjectPlan,
  registry: PackageRegistry,
): Promise<Project> {
  const page = readPage(`docs/deploy/${name}.md`);
  expect(page.nameless, "each piece of code belongs to a file").toEqual([]);
  const directory = temporaryDirectory();
  const folder = directory.path;
  const project: Project = {
    folder,
    page,
    run: (line, more) => run(folder, line, { ...env, ...more }),
    remove: () => directory.remove(),
  };
  writeFileSync(join(folder, ".npmrc"), registry.npmrc);
  for (const line of (page.commands.get("Install") ?? []).flat())
    if (!isHere(line)) await project.run(line);
  prepare?.(folder);
  writeFiles(folder, page.files);
  return project;
}

async function run(cwd: string, line: string, env: ProjectPlan["env"]) {
  const args = ["-euo", "pipefail", "-c", line];
  const settings = { npm_config_prefer_offline: "true", npm_config_audit: "false", ...env };
  const options = { cwd, env: { ...process.env, ...settings }, maxBuffer: 2 ** 24 };
  const { stdout } = await promisify(execFile)("bash", args, options);
  return stdout;
}
