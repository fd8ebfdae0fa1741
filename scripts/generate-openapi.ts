/**
 * Writes packages/engine/openapi.json from the route table.
 *
 *   npx tsx scripts/generate-openapi.ts            write
 *   npx tsx scripts/generate-openapi.ts --check    write nothing; exit 1 when the committed file is not fresh
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "oxfmt";
import { toOpenApi } from "./openapi/document.ts";
import { readProjectFile, ROOT } from "./project-files.ts";

const PATH = "packages/engine/openapi.json";
const FILE = join(ROOT, PATH);

const { version } = JSON.parse(readProjectFile("packages/engine/package.json")) as {
  readonly version: string;
};
const document = JSON.stringify(toOpenApi(version), null, 2);
const { code } = await format(PATH, `${document}\n`, { printWidth: 100 });
const isFresh = existsSync(FILE) && readFileSync(FILE, "utf8") === code;
if (isFresh) {
  console.log("generate-openapi: fresh");
} else if (process.argv.includes("--check")) {
  console.error(`${PATH} is not fresh; run npx tsx scripts/generate-openapi.ts`);
  process.exitCode = 1;
} else {
  writeFileSync(FILE, code);
  console.log(`generate-openapi: wrote ${PATH}`);
}
