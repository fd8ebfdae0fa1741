/** Writes a project. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { demandEmpty } from "./demand-empty.ts";
import { CreateError, toReason } from "./errors.ts";
import { layersOf } from "./layers.ts";
import { demandName, type ProjectOptions } from "./options.ts";
import { type ProjectFiles, readLayers } from "./read-layers.ts";
import { WrittenFiles } from "./written-files.ts";

const SECRET_BYTES = 32;
/** Variables whose values are generated here. */
const SECRETS = /^(API_TOKEN|TICK_SIGNING_KEY|CRON_SECRET)=$/gm;

/**
 * @returns the written files, by path in the folder @throws {CreateError} the folder is not empty or cannot be created, or the name
 * is invalid; nothing is left of the project then
 */
export function makeProject(options: ProjectOptions): ProjectFiles {
  const { folder, name } = options;
  demandName(name);
  demandEmpty(folder);
  const files = new Map(readLayers(layersOf(options), name));
  files.set(".env", toSecrets(files.get(".env.example") ?? ""));
  const written = new WrittenFiles();
  try {
    for (const [path, text] of files) written.write(join(folder, path), text, path === ".env");
  } catch (error) {
    written.remove();
    throw new CreateError(`${folder} cannot be made: ${toReason(error)}`);
  }
  return files;
}

/** Generates secrets, so that the project starts at once and no two projects have the same. */
const toSecrets = (example: string): string =>
  example.replaceAll(SECRETS, (_, name: string) => {
    return `${name}=${randomBytes(SECRET_BYTES).toString("hex")}`;
  });
