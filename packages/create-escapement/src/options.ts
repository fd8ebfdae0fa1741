/** The options of the command line. */
import { basename, resolve } from "node:path";
import { parseArgs, type ParseArgsConfig } from "node:util";
import {
  type Combination,
  combinationsWith,
  type Database,
  DATABASE_NAMES,
  databasesOf,
  type Framework,
  FRAMEWORK_NAMES,
  frameworksOf,
  parseDatabase,
  parseFramework,
  parsePlatform,
  type Platform,
  PLATFORM_NAMES,
} from "./combinations.ts";
import { CreateError } from "./errors.ts";

/** The given options; for the others, the user is asked or the default is taken. */
export interface Given {
  readonly folder: string | undefined;
  readonly platform: Platform | undefined;
  readonly framework: Framework | undefined;
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
  framework: { type: "string" },
  database: { type: "string" },
  name: { type: "string" },
  yes: { type: "boolean", short: "y", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const satisfies ParseArgsConfig["options"];

const EXAMPLE = "npm create escapement my-app -- --platform node --database sqlite";

/** Printed by `--help`. */
export const USAGE: string = `Usage: create-escapement [folder] [--platform P] [--framework F] [--database D] [--name N] [--yes]

Makes a project with a durable workflow: its program, its test, and what deploys it.
Asks for what you do not give. Without a terminal it cannot ask: give folder, platform and database, or --yes.

  folder        a new or empty folder                 (default: ${DEFAULT_FOLDER})
  --platform    where it runs                         (default: ${DEFAULT_PLATFORM})
  --framework   what answers its requests             (default: none)
  --database    where its state is                    (default: the platform's first)
  --name        of the project and its deployment     (default: the folder's)
  --yes, -y     take the default of what is not given
  --help, -h    this text

  platform    database
${toTable(databasesOf)}

  platform    framework
${toTable(frameworksOf)}
`;

/** @returns null: only help was asked for @throws {CreateError} an option is invalid */
export function parseOptions(args: readonly string[]): Given | null {
  demandDashes();
  const { values, positionals } = parse(args);
  if (values.help) return null;
  const [folder, extra] = positionals;
  if (extra !== undefined) throw new CreateError(`name one folder: "${extra}" is a second one`);
  const platform = values.platform === undefined ? undefined : parsePlatform(values.platform);
  const likely = platform ?? firstFor(values);
  const framework =
    values.framework === undefined ? undefined : parseFramework(values.framework, likely);
  const database =
    values.database === undefined ? undefined : parseDatabase(values.database, likely);
  return { folder, platform, framework, database, name: values.name, takesDefaults: values.yes };
}

/** @throws {CreateError} a platform or a folder is missing, and nobody can be asked */
export function fillIn(given: Given): ProjectOptions {
  if (!given.takesDefaults) demandAll(given);
  const { folder = DEFAULT_FOLDER, framework = "none" } = given;
  const platform = given.platform ?? firstFor(given);
  const [first] = databasesOf(platform);
  const database = parseDatabase(given.database ?? first ?? "", platform);
  return { folder, platform, framework, database, name: given.name ?? toName(folder) };
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

/** The first platform that has the framework and the database, or the default one. */
const firstFor = (wish: Parameters<typeof combinationsWith>[0]): Platform =>
  combinationsWith(wish)[0]?.platform ?? DEFAULT_PLATFORM;

/** npm swallows flags that do not come after `--`, and passes their values on as folders. Refuses those. */
function demandDashes(): void {
  const known: Readonly<Record<string, readonly string[]>> = {
    platform: PLATFORM_NAMES,
    framework: FRAMEWORK_NAMES,
    database: DATABASE_NAMES,
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

function toTable(namesOf: (platform: Platform) => readonly string[]): string {
  return PLATFORM_NAMES.map(
    (platform) => `  ${platform.padEnd(12)}${namesOf(platform).join(", ")}`,
  ).join("\n");
}
