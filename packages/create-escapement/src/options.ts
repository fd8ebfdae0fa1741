/** The options of the command line. */
import { basename, resolve } from "node:path";
import { parseArgs, type ParseArgsConfig } from "node:util";
import {
  type Combination,
  COMBINATIONS,
  type Database,
  DATABASES,
  databasesOf,
  parseDatabase,
  parsePlatform,
  type Platform,
  PLATFORM_NAMES,
} from "./combinations.ts";
import { CreateError } from "./errors.ts";

/** The given options; for the others, the user is asked or the default is taken. */
export interface Given {
  readonly folder: string | undefined;
  readonly platform: Platform | undefined;
  readonly database: Database | undefined;
  readonly name: string | undefined;
  /** Missing options get their defaults, and no questions are asked. */
  readonly takesDefaults: boolean;
}

/** Everything that a project needs. */
export interface ProjectOptions extends Combination {
  /** As given, for instance `my-app`. */
  readonly folder: string;
  readonly name: string;
}

export const DEFAULT_FOLDER = "my-workflows";
export const DEFAULT_PLATFORM: Platform = "node";

const OPTIONS = {
  platform: { type: "string" },
  database: { type: "string" },
  name: { type: "string" },
  yes: { type: "boolean", short: "y", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const satisfies ParseArgsConfig["options"];

const EXAMPLE = "npm create escapement my-app -- --platform node --database sqlite";

/** Printed by `--help`. */
export const USAGE: string = `Usage: create-escapement [folder] [--platform P] [--database D] [--name N] [--yes]

Makes a project with a durable workflow: its program, its test, and what deploys it.
Asks for what you do not give. Without a terminal it cannot ask: give all flags, or --yes.

  folder        a new or empty folder                 (default: ${DEFAULT_FOLDER})
  --platform    where it runs                         (default: ${DEFAULT_PLATFORM})
  --database    where its state is                    (default: the platform's first)
  --name        of the project and its deployment     (default: the folder's)
  --yes, -y     take the default of what is not given
  --help, -h    this text

${toTable()}
`;

/** @returns null: only help was asked for @throws {CreateError} an option is invalid */
export function parseOptions(args: readonly string[]): Given | null {
  demandDashes();
  const { values, positionals } = parse(args);
  if (values.help) return null;
  const [folder, extra] = positionals;
  if (extra !== undefined) throw new CreateError(`name one folder: "${extra}" is a second one`);
  const platform = values.platform === undefined ? undefined : parsePlatform(values.platform);
  if (values.database !== undefined) parseDatabase(values.database, platform ?? firstFor(values));
  const database = COMBINATIONS.find((each) => each.database === values.database)?.database;
  return { folder, platform, database, name: values.name, takesDefaults: values.yes };
}

/** @throws {CreateError} a platform or a folder is missing, and nobody can be asked */
export function fillIn(given: Given): ProjectOptions {
  if (!given.takesDefaults) demandAll(given);
  const { folder = DEFAULT_FOLDER } = given;
  const platform = given.platform ?? firstFor({ database: given.database });
  const [first] = databasesOf(platform);
  const database = parseDatabase(given.database ?? first ?? "", platform);
  return { folder, platform, database, name: given.name ?? toName(folder) };
}

/** The folder's name, as far as it can be the project's. */
export const toName = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[\s_.]+/g, "-");

/** Checks that every platform accepts the name for a deployment. @throws {CreateError} */
export function demandName(name: string): void {
  if (/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(name)) return;
  throw new CreateError(
    `"${name}" cannot be the project's name: 1 to 40 of a–z, 0–9 and -, a letter first, no - at the end. Give another with --name`,
  );
}

function demandAll({ folder, platform, database }: Given): void {
  const needed = { folder, "--platform": platform, "--database": database };
  const missing = Object.entries(needed).filter(([, value]) => value === undefined);
  if (missing.length === 0) return;
  const names = missing.map(([option]) => option).join(", ");
  throw new CreateError(
    `without a terminal it cannot ask for ${names}: give them, or --yes; with npm, after a --\n\n${USAGE}`,
  );
}

/** The default platform, or the first one that has the database. */
function firstFor({ database }: { readonly database?: string | undefined }): Platform {
  const isOfDefault = databasesOf(DEFAULT_PLATFORM).some((each) => each === database);
  const found = COMBINATIONS.find((each) => each.database === database);
  return isOfDefault || found === undefined ? DEFAULT_PLATFORM : found.platform;
}

/** npm swallows flags that do not come after `--`, and passes their values on as folders. Refuses those. */
function demandDashes(): void {
  const known: Readonly<Record<string, readonly string[]>> = {
    platform: PLATFORM_NAMES,
    database: Object.keys(DATABASES),
  };
  const kept = Object.entries(known).filter(([name, values]) =>
    ["true", ...values].includes(process.env[`npm_config_${name}`] ?? ""),
  );
  if (kept.length === 0) return;
  const flags = kept.map(([name]) => `--${name}`).join(" and ");
  throw new CreateError(`npm took ${flags} for itself: put flags after a --\n\n  ${EXAMPLE}`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split(/\.(?:\s|$)/);
    throw new CreateError(`${reason}\n\n${USAGE}`);
  }
}

function toTable(): string {
  return PLATFORM_NAMES.map(
    (platform) => `  ${platform.padEnd(12)}${databasesOf(platform).join(", ")}`,
  ).join("\n");
}
