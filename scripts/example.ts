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

const readPage = (name: string): string => {
  const readme = join(FOLDER, name, "README.md");
  return existsSync(readme) ? readFileSync(readme, "utf8") : "";
};

/** The first paragraph of its page, in one line. */
const describe = (name: string): string =>
  (readPage(name).split("\n\n")[1] ?? "").replaceAll("\n", " ").replaceAll("`", "");

/** Examples that say of themselves that they are run so. */
const names = readdirSync(FOLDER).filter(
  (name) => existsSync(toMain(name)) && readPage(name).includes(`npm run example ${name}`),
);

const [name, ...rest] = process.argv.slice(2);
if (name !== undefined && names.includes(name)) {
  process.argv.splice(2, Infinity, ...rest);
  // Beside the program's own output, which stays alone on standard output.
  process.stderr.write(`\n${describe(name)}\nIts code: examples/${name}/src\n\n`);
  await import(pathToFileURL(toMain(name)).href);
} else {
  if (name !== undefined) process.stderr.write(`there is no example "${name}"\n\n`);
  const list = names.map((each) => `${each.padEnd(17)}${toSentence(describe(each))}`);
  process.stderr.write(`usage: npm run example <name>\n\n${list.join("\n")}\n`);
  process.exitCode = name === undefined ? 0 : 2;
}

function toSentence(text: string): string {
  return text.replace(/(?<=\.)\s.*$/s, "");
}
