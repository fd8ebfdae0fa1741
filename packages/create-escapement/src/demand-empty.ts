/** Creates a project only where it cannot overwrite anything. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { CreateError } from "./errors.ts";

/** @throws {CreateError} the folder contains files, or is a file. A Git repository without files counts as empty */
export function demandEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory())
    throw new CreateError(`${folder} is a file: name a new folder`);
  const found = readdirSync(folder).find((name) => name !== ".git");
  if (found === undefined) return;
  throw new CreateError(`${folder} is not empty, it has ${found}: name a new folder, or empty it`);
}
