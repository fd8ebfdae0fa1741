/** A project is only made where there is nothing that it could spoil. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { CreateError } from "./errors.ts";

/** @throws {CreateError} the folder has files in it, or is a file. A repository without files is empty */
export function demandEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory())
    throw new CreateError(`${folder} is a file: name a new folder`);
  const found = readdirSync(folder).find((name) => name !== ".git");
  if (found === undefined) return;
  throw new CreateError(`${folder} is not empty, it has ${found}: name a new folder, or empty it`);
}
