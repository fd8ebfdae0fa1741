/** Creates a project only where it cannot overwrite anything. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { CreateError, toReason } from "./errors.ts";

/**
 * @throws {CreateError} the folder contains files, is a file, cannot be read, or has no name. A Git repository without files counts as
 * empty
 */
export function demandEmpty(folder: string): void {
  // As an unset variable of a script gives it. Paths in it would be those of the current folder.
  if (folder === "") throw new CreateError("the folder has no name: name a new folder");
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory())
    throw new CreateError(`${folder} is a file: name a new folder`);
  const found = list(folder).find((name) => name !== ".git");
  if (found === undefined) return;
  throw new CreateError(`${folder} is not empty, it has ${found}: name a new folder, or empty it`);
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new CreateError(`${folder} cannot be read: ${toReason(error)}`);
  }
}
