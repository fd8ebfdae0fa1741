/** Writes the files that deploy this project, and says what to run: `npm run deploy:files`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { deployments } from "./deployments.ts";

for (const { files, commands } of deployments) {
  for (const { path, text } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
  for (const command of commands) console.log(`  ${command}`);
}
