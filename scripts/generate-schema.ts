/**
 * Writes the SQL files and the run-time module from the data model's declaration.
 *
 *   npx tsx scripts/generate-schema.ts            write
 *   npx tsx scripts/generate-schema.ts --check    write nothing; exit 1 when a committed file is not fresh
 *   npx tsx scripts/generate-schema.ts --rewrite  allow steps to change; only before they are released
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format } from "oxfmt";
import {
  createMigrationSet,
  findRewrittenSteps,
  toModule,
  toSchemaDump,
} from "../packages/fragno/src/schema/generate.ts";

const FOLDER = fileURLToPath(
  new URL("../packages/engine/src/stores/sql/migrations/", import.meta.url),
);

const sets = { postgres: createMigrationSet("postgres"), sqlite: createMigrationSet("sqlite") };

async function createFiles(): Promise<ReadonlyMap<string, string>> {
  const module = await format("generated.ts", toModule(sets), { printWidth: 100 });
  return new Map([
    ["schema.postgres.sql", `${toSchemaDump("postgres", sets.postgres)}\n`],
    ["schema.sqlite.sql", `${toSchemaDump("sqlite", sets.sqlite)}\n`],
    ["generated.ts", module.code],
  ]);
}

async function findRewritten(): Promise<readonly string[]> {
  if (process.argv.includes("--rewrite") || !existsSync(`${FOLDER}generated.ts`)) return [];
  const { MIGRATIONS } = await import("../packages/engine/src/stores/sql/migrations/generated.ts");
  return findRewrittenSteps(MIGRATIONS, sets);
}

function findStale(files: ReadonlyMap<string, string>): readonly string[] {
  return [...files.keys()].filter((name) => {
    const path = `${FOLDER}${name}`;
    return !existsSync(path) || readFileSync(path, "utf8") !== files.get(name);
  });
}

const files = await createFiles();
const stale = findStale(files);
const rewritten = await findRewritten();
if (rewritten.length > 0) {
  console.error(
    `generate-schema: a released step changed (${rewritten.join(", ")}); append instead, see workflows-schema.ts`,
  );
  process.exitCode = 1;
} else if (stale.length > 0 && process.argv.includes("--check")) {
  console.error(
    `generate-schema: not fresh: ${stale.join(", ")}; run npx tsx scripts/generate-schema.ts`,
  );
  process.exitCode = 1;
} else if (stale.length > 0) {
  for (const name of stale) writeFileSync(`${FOLDER}${name}`, files.get(name) ?? "");
  console.log(`generate-schema: wrote ${stale.join(", ")}`);
} else {
  console.log("generate-schema: fresh");
}
