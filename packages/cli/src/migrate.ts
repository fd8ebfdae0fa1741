/** `escapement migrate`: creates or upgrades a database's tables, by hand or in a deployment. */
import type { Command } from "commander";
import type { planMigration } from "@escapement/engine/store/sql";
import { confirm } from "./confirm.ts";
import { UsageError } from "./errors.ts";
import { toPlainText } from "./plain-text.ts";
import { type Output, toOutput } from "./session.ts";
import { examples } from "./verb-parts.ts";
import { readOptions } from "./ways.ts";

interface MigrateCommandOptions {
  readonly plan?: true;
  readonly yes?: true;
}

/** Adds the verb. */
export function addMigrate(program: Command): void {
  program
    .command("migrate")
    .summary("make or upgrade a database's tables")
    .description(
      "Creates or upgrades the tables of --db to this command's version, completely or not at all. It asks first, unless you give --yes.",
    )
    .option("--plan", "print both versions and the SQL, and change nothing")
    .option("--yes", "begin without asking")
    .addHelpText(
      "after",
      examples("migrate --db ./data.db --plan", 'migrate --db "$DATABASE_URL" --yes'),
    )
    .action(async (options: MigrateCommandOptions, command: Command) => {
      const { db, ...shared } = readOptions(command);
      if (db === undefined) throw new UsageError("which database? Give --db <database>");
      const { openDatabase } = await import("./database/open-database.ts");
      const { toRefusal } = await import("./database/to-refusal.ts");
      const database = await openDatabase(db, shared);
      try {
        await migrateDatabase(database, options, toOutput(command));
      } catch (error) {
        throw toRefusal(error);
      } finally {
        await database.close();
      }
    });
}

type Database = Parameters<typeof planMigration>[0];
type Plan = Awaited<ReturnType<typeof planMigration>>;

async function migrateDatabase(
  database: Database,
  { plan: isPlan, yes }: MigrateCommandOptions,
  { print }: Output,
): Promise<void> {
  const { migrate, planMigration: plan } = await import("@escapement/engine/store/sql");
  const planned = await plan(database);
  if (isPlan === true) {
    const statements = planned.statements.map(({ text }) => text);
    return print({ ...planned, statements }, () => renderPlan(planned));
  }
  if (planned.statements.length > 0 && yes !== true)
    await confirm(`${toHead(planned)}\n`, "give --plan to look, --yes to begin");
  const done = await migrate(database, { logger: { log: tell } });
  print(done, () => `${planned.statements.length === 0 ? toHead(planned) : toDone(done)}\n`);
}

function toHead({ fromVersion, toVersion, statements }: Plan): string {
  if (statements.length === 0) return `The tables are at version ${toVersion}: nothing to do.`;
  if (fromVersion === 0)
    return `There are no tables yet; those of version ${toVersion} would be created.`;
  return fromVersion === toVersion
    ? `The tables are at version ${toVersion}; indexes would change.`
    : `The tables are at version ${fromVersion}; they would be brought to ${toVersion}.`;
}

const toDone = ({ toVersion, indexes }: Pick<Plan, "toVersion" | "indexes">): string =>
  `The tables are at version ${toVersion} now; indexes: ${indexes}.`;

/** The SQL, with everything else as comments. */
function renderPlan(plan: Plan): string {
  if (plan.statements.length === 0) return `-- ${toHead(plan)}\n`;
  const texts = plan.statements.map(({ text }) => `${text};\n`);
  return `-- ${toHead(plan)} In one transaction:\n${texts.join("")}`;
}

/** Reports settings of the database that lose commits. */
function tell(level: string, event: string, fields: Readonly<Record<string, unknown>> = {}): void {
  process.stderr.write(`${toPlainText(`${level}: ${event} ${JSON.stringify(fields)}`)}\n`);
}
