/** The package's own version. */
import { readFileSync } from "node:fs";

/** From its manifest, which is next to `src` and `dist`. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  }
).version;
