/** A project in an empty folder, made by a page's own lines. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { spawnServer, temporaryDirectory } from "@escapement-internal/test-servers";
import { expect, onTestFailed } from "vitest";
import type { PackageRegistry } from "./packages.ts";
import type { PagePlatform, Stage } from "./platform.ts";
import { type Page, readPage, writeFiles } from "./read-page.ts";

const TSC = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
export interface Project {
  readonly folder: string;
  readonly page: Page;
  /** Runs a line in the folder, as a shell does. @returns its standard output @throws when it fails, with what it said */
  run(line: string, env?: Readonly<Record<string, string>>): Promise<string>;
  remove(): void;
}

/** Follows "Install", then writes the page's files. */
export async function makeProject(
  { name, env, isHere = () => false, prepare }: PagePlatform,
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

async function run(cwd: string, line: string, env: PagePlatform["env"]) {
  const args = ["-euo", "pipefail", "-c", line];
  const settings = { npm_config_prefer_offline: "true", npm_config_audit: "false", ...env };
  const options = { cwd, env: { ...process.env, ...settings }, maxBuffer: 2 ** 24 };
  const { stdout } = await promisify(execFile)("bash", args, options);
  return stdout;
}

/** @throws with what the compiler says */
export async function checkTypes({ run: runLine }: Project): Promise<void> {
  await runLine(`"${process.execPath}" "${TSC}" --project .`).catch((error: unknown) => {
    throw new TypeError((error as { readonly stdout: string }).stdout);
  });
}

/** Runs the first fence of "Deploy", whose first line runs `deploy`, and holds the page to the commands that it prints. */
export async function prepareDeployment(
  { page, run: runLine }: Project,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [[write = "", ...build] = [], ...later] = page.commands.get("Deploy") ?? [];
  const commands = (await runLine(write)).trim().split("\n");
  expect(later.flat(), "the page shows each command of deploy").toEqual(
    expect.arrayContaining(commands),
  );
  for (const line of build) await runLine(line, env);
}

/**
 * Lines of "Local run" but the exports and the last, which starts the application.
 * @param env - what the play sets. The page's exports are held to it: the same names, in order
 */
export function readLocalRun(
  { page }: Project,
  env: Readonly<Record<string, string>>,
): { readonly before: readonly string[]; readonly start: string } {
  const lines = page.commands.get("Local run")?.[0] ?? [];
  const variables = lines.flatMap((line) => /^export (\w+)=/.exec(line)?.[1] ?? []);
  expect(variables).toEqual(Object.keys(env));
  const rest = lines.filter((line) => !line.startsWith("export "));
  return { before: rest.slice(0, -1), start: rest.at(-1) ?? "" };
}

/** Starts a line that stays, until its output matches. What it prints is shown when the play fails. */
export async function startLine(
  { project: { folder }, defer }: Pick<Stage, "project" | "defer">,
  line: string,
  options: { readonly env: Readonly<Record<string, string>>; readonly ready: RegExp },
): Promise<{ readonly match: RegExpExecArray; readonly kill: () => Promise<void> }> {
  const found: RegExpExecArray[] = [];
  let readOutput = (): string => "";
  const server = await spawnServer({
    command: "bash",
    args: ["-c", line],
    cwd: folder,
    env: options.env,
    readyTimeoutMs: 90_000,
    ready: async (output) => {
      readOutput = output;
      found.push(...[options.ready.exec(output())].filter((match) => match !== null));
      return found.length > 0;
    },
  });
  onTestFailed(() => console.warn(readOutput()));
  defer(() => server.stop());
  return { match: found[0] ?? expect.unreachable(), kill: () => server.stop() };
}
