/** Asks on a terminal for what the command line does not say. */
import { cancel, intro, select, text } from "@clack/prompts";
import {
  type Choice,
  type Database,
  DATABASES,
  databasesOf,
  combinationsWith,
  type Framework,
  FRAMEWORKS,
  frameworksOf,
  type Platform,
  PLATFORMS,
} from "./combinations.ts";
import { demandEmpty } from "./demand-empty.ts";
import { CreateError } from "./errors.ts";
import { DEFAULT_FOLDER, demandName, type Given, type ProjectOptions, toName } from "./options.ts";

/** @returns null: the user cancelled @throws {CreateError} the given values are invalid */
export async function ask(given: Given): Promise<ProjectOptions | null> {
  intro("Durable workflows by Escapement");
  const folder = given.folder ?? (await askForFolder());
  if (folder === null) return giveUp();
  const name = given.name ?? (await askForName(folder));
  if (name === null) return giveUp();
  const platform = given.platform ?? (await askForPlatform(given));
  if (platform === null) return giveUp();
  const framework = given.framework ?? (await askForFramework(platform));
  if (framework === null) return giveUp();
  const database = given.database ?? (await askForDatabase(platform));
  return database === null ? giveUp() : { folder, platform, framework, database, name };
}

async function askForFolder(): Promise<string | null> {
  return orNull(
    await text({
      message: "In which folder?",
      placeholder: DEFAULT_FOLDER,
      defaultValue: DEFAULT_FOLDER,
      validate: (folder) => toComplaint(() => demandEmpty(folder || DEFAULT_FOLDER)),
    }),
  );
}

/** Asks only if the folder's own name cannot be used. */
async function askForName(folder: string): Promise<string | null> {
  const complaint = toComplaint(() => demandName(toName(folder)));
  if (complaint === undefined) return toName(folder);
  return orNull(
    await text({
      message: "What is the project's name?",
      validate: (name) => toComplaint(() => demandName(name ?? "")),
    }),
  );
}

async function askForPlatform(given: Given): Promise<Platform | null> {
  const platforms = [...new Set(combinationsWith(given).map(({ platform }) => platform))];
  const options = platforms.map((value) => toOption(value, PLATFORMS[value]));
  return orNull(await select<Platform>({ message: "Where does it run?", options }));
}

/** Asks only if there is a choice. */
async function askForFramework(platform: Platform): Promise<Framework | null> {
  const names = frameworksOf(platform);
  if (names.length === 1) return names[0] ?? null;
  const options = names.map((value) => toOption(value, FRAMEWORKS[value]));
  return orNull(await select<Framework>({ message: "With which framework?", options }));
}

async function askForDatabase(platform: Platform): Promise<Database | null> {
  const options = databasesOf(platform).map((value) => toOption(value, DATABASES[value]));
  return orNull(await select<Database>({ message: "Where is its state?", options }));
}

const toOption = <Value extends string>(value: Value, { label, hint }: Choice) => ({
  value,
  label,
  hint,
});

function giveUp(): null {
  cancel("Nothing was created.");
  return null;
}

const orNull = <A>(answer: A): Exclude<A, symbol> | null =>
  typeof answer === "symbol" ? null : (answer as Exclude<A, symbol>);

function toComplaint(demand: () => void): string | undefined {
  try {
    demand();
    return undefined;
  } catch (error) {
    if (error instanceof CreateError) return error.message;
    throw error;
  }
}
