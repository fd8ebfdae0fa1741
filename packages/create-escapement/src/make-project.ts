/** Writes a project. */
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { demandEmpty } from "./demand-empty.ts";
import { CreateError } from "./errors.ts";
import { layersOf } from "./layers.ts";
import { demandName, type ProjectOptions } from "./options.ts";
import { type ProjectFiles, readLayers } from "./read-layers.ts";

const SECRET_BYTES = 32;
/** Variables whose values are generated here. */
const SECRETS = /^(API_TOKEN|TICK_SIGNING_KEY|CRON_SECRET)=$/gm;

/**
 * @returns the written files, by path in the folder @throws {CreateError} the folder is not empty or cannot be created, or the name
 * is invalid
 */
export function makeProject(options: ProjectOptions): ProjectFiles {
  const { folder, name } = options;
  demandName(name);
  demandEmpty(folder);
  const files = new Map(readLayers(layersOf(options), name));
  files.set(".env", toSecrets(files.get(".env.example") ?? ""));
  try {
    for (const [path, text] of files) write(join(folder, path), text, path === ".env");
  } catch (error) {
    throw new CreateError(`${folder} cannot be made: ${toReason(error)}`);
  }
  return files;
}

/** Without the call and the paths that Node adds. */
const toReason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/, \w+ '.*$/s, "");

/** Generates secrets, so that the project starts at once and no two projects have the same. */
const toSecrets = (example: string): string =>
  example.replaceAll(SECRETS, (_, name: string) => {
    return `${name}=${randomBytes(SECRET_BYTES).toString("hex")}`;
  });

/** Never overwrites a file that was created meanwhile. */
function write(path: string, text: string, isSecret: boolean): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: "wx", mode: isSecret ? 0o600 : 0o666 });
}
