#!/usr/bin/env node
/** `npm create escapement`: creates a project with durable workflows. */
import { resolve } from "node:path";
import { ask } from "./ask.ts";
import { DATABASES, FRAMEWORKS, PLATFORMS, type Platform } from "./combinations.ts";
import { demandEmpty } from "./demand-empty.ts";
import { CreateError } from "./errors.ts";
import { makeProject } from "./make-project.ts";
import { fillIn, parseOptions, type ProjectOptions, USAGE } from "./options.ts";
import type { ProjectFiles } from "./read-layers.ts";

const INSTALL_AND_RUN: Readonly<Partial<Record<Platform, string>>> = {
  bun: "bun install && bun run dev",
  deno: "deno install && deno task dev",
};

/** @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
  const given = parseOptions(args);
  if (given === null) {
    process.stdout.write(USAGE);
    return 0;
  }
  // Before any questions.
  if (given.folder !== undefined) demandEmpty(given.folder);
  const isSettled = given.folder && given.platform && given.database;
  const mayAsk = process.stdin.isTTY && process.stdout.isTTY && !given.takesDefaults;
  const options = mayAsk && !isSettled ? await ask(given) : fillIn(given);
  if (options === null) return 1;
  const files = makeProject(options);
  process.stdout.write(conclude(options, files));
  return 0;
}

function conclude(options: ProjectOptions, files: ProjectFiles): string {
  const { folder, platform, framework, database } = options;
  const run = INSTALL_AND_RUN[platform] ?? "npm install && npm run dev";
  const [server = ""] =
    /(?<=## Database\n[^#]*\n```\n).*\n/.exec(files.get("README.md") ?? "") ?? [];
  const lines = server === "" ? "" : `  ${server}`;
  const parts = framework === "none" ? "" : `${FRAMEWORKS[framework].label} and `;
  return `
Made ${folder}: ${files.size} files, for ${PLATFORMS[platform].label} with ${parts}${DATABASES[database].label}.
${toCondition(database, server)}
${toEnter(folder)}${lines}  ${run}

README.md says how to send it a signup, and how to deploy it.
`;
}

/** The command that enters the folder, quoted if a shell needs it. */
const toEnter = (folder: string): string =>
  resolve(folder) === process.cwd() ? "" : `  cd ${toShellWord(folder)}\n`;

/** Every shell knows double quotes; single ones also keep what is special inside double ones. */
function toShellWord(text: string): string {
  if (/^[\w./-]+$/.test(text)) return text;
  return /["$`!\n]/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
}

/** What must exist before it runs. */
function toCondition(database: ProjectOptions["database"], server: string): string {
  if (database === "neon")
    return "First put the connection string of your Neon database into .env, as DATABASE_URL.\n";
  return server === ""
    ? ""
    : "You have a database already? Leave out `docker run`, and set DATABASE_URL in .env.\n";
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CreateError)) throw error;
  process.stderr.write(`create-escapement: ${error.message}\n`);
  process.exitCode = 2;
}
