/** The examples that are there. */
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const PLATFORMS_FOLDER: string = fileURLToPath(new URL("..", import.meta.url));

/** Names of the folders that hold an example. */
export const PLATFORMS: readonly string[] = readdirSync(PLATFORMS_FOLDER)
  .filter((name) => existsSync(`${PLATFORMS_FOLDER}${name}/package.json`))
  .toSorted();
