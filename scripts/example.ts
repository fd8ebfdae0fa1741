/**
 * Runs an example.
 *
 *   tsx scripts/example.ts           which there are
 *   tsx scripts/example.ts saga      runs `examples/saga/src/main.ts`
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./project-files.ts";

const FOLDER = join(ROOT, "examples");
const toMain = (name: string): string => join(FOLDER, name, "src", "main.ts");

/** Examples that say of themselves that they are run so. */
const names = readdirSync(FOLDER).filter((name) => {
  const readme = join(FOLDER, name, "README.md");
  return (
    existsSync(toMain(name)) &&
    existsSync(readme) &&
    readFileSync(readme, "utf8").includes(`npm run example ${name}`)
  );
});

const [name, ...rest] = process.argv.slice(2);
if (name !== undefined && names.includes(name)) {
  process.argv.splice(2, Infinity, ...rest);
  await import(pathToFileURL(toMain(name)).href);
} else {
  if (name !== undefined) process.stderr.write(`there is no example "${name}"\n\n`);
  process.stderr.write(`usage: npm run example <name>\n\n${names.join("\n")}\n`);
  process.exitCode = name === undefined ? 0 : 2;
}
