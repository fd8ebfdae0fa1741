/** `escapement export`, `import` and `moved`: moves an instance from one store to another, with its history. */
import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import type { Engine } from "@escapement/engine";
import { RefusedError, UsageError } from "./errors.ts";
import { toId, toName } from "./option-values.ts";
import { toPlainLines, toPlainText } from "./plain-text.ts";
import { withSession } from "./session.ts";
import { examples } from "./verb-parts.ts";
import { readOptions } from "./ways.ts";

const FILE = "an export; - reads standard input";

/** Adds the verbs. They need the engine itself, because there is no export or import over HTTP. */
export function addMove(program: Command): void {
  addExport(program);
  addImport(program);
  addMoved(program);
}

/** @throws {UsageError} the command was given a URL */
function engineOf({ engine }: { readonly engine: Engine | null }): Engine {
  if (engine === null)
    throw new UsageError(
      "this needs --db <database> or --engine <module>: it does not go over HTTP",
    );
  return engine;
}

/** Turns an error of the engine into one of the command. */
async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    throw typeof code === "string" ? new RefusedError(code, message) : error;
  }
}

/** Explains that the code may know a workflow that the database does not. */
async function importing<T>(work: Promise<T>, command: Command): Promise<T> {
  try {
    return await refusing(work);
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== "WORKFLOW_NOT_FOUND") throw error;
    if (readOptions(command).db === undefined) throw error;
    const hint =
      "; this database has no instance of it yet: import with --engine, which has the code";
    throw new RefusedError(error.code, error.message + hint);
  }
}

interface ExportOptions {
  readonly out?: string;
}

function addExport(program: Command): void {
  program
    .command("export")
    .summary("write an instance with its history to a file")
    .description(
      "Writes an instance that is paused or has ended, with its history and its children, as lines of JSON.",
    )
    .argument("<workflow>", "name of the workflow", toName)
    .argument("<id>", "of the instance", toId)
    .option("--out <file>", "where to; made when all of it was read (default: standard output)")
    .addHelpText("after", examples("export order o-17 --out o-17.jsonl --db ./data.db"))
    .action(async (workflow: string, id: string, { out }: ExportOptions, command) => {
      await withSession(command, async (session) => {
        const lines = engineOf(session).export(workflow, id);
        if (out === undefined)
          await refusing(pipeline(Readable.from(toShown(lines)), process.stdout, { end: false }));
        else await refusing(writeWhole(lines, out));
      });
    });
}

/** A file contains each text unchanged; a terminal would interpret some of them. */
const toShown = (lines: AsyncIterable<string>): AsyncIterable<string> =>
  process.stdout.isTTY ? toPlain(lines) : lines;

/** The form for a terminal: the same JSON, but not the lines that the checksum at the export's end covers. */
export async function* toPlain(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  for await (const line of lines) yield toPlainLines(line);
}

/**
 * Writes a file that exists only as a complete export that is safely on disk. A target that is not a file, such as `/dev/stdout`,
 * is written directly.
 */
export async function writeWhole(lines: AsyncIterable<string>, path: string): Promise<void> {
  if ((await stat(path).catch(() => null))?.isFile() === false)
    return pipeline(Readable.from(lines), createWriteStream(path));
  const target = await realpath(path).catch(() => path);
  // A name that no other export into the same file uses.
  const unfinished = `${target}.${randomUUID()}.unfinished`;
  const options = { flags: "wx", mode: 0o600, flush: true };
  try {
    await pipeline(Readable.from(lines), createWriteStream(unfinished, options));
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Opens the file on the first read, because nobody would handle an earlier error. */
async function* read(path: string): AsyncGenerator<Uint8Array, void> {
  yield* path === "-" ? process.stdin : createReadStream(path);
}

function addImport(program: Command): void {
  program
    .command("import")
    .summary("read instances from a file that export wrote")
    .description(
      "Reads instances from a file that export wrote, each completely or not at all. They are paused or ended, as they were.",
    )
    .argument("<file>", FILE)
    .addHelpText("after", examples("--engine ./engine.js import o-17.jsonl"))
    .action(async (path: string, _options: object, command) => {
      await withSession(command, async (session) => {
        const families = await importing(engineOf(session).import(read(path)), command);
        session.print(families, () => toLines(families, "imported"));
      });
    });
}

function addMoved(program: Command): void {
  program
    .command("moved")
    .summary("end the instances of an export, once they are imported elsewhere")
    .description(
      "Ends the paused instances of an export in the store that they come from, unless they have changed since. Then resume them where you imported them.",
    )
    .argument("<file>", FILE)
    .addHelpText("after", examples("moved o-17.jsonl --db ./data.db"))
    .action(async (path: string, _options: object, command) => {
      await withSession(command, async (session) => {
        const families = await refusing(engineOf(session).closeMoved(read(path)));
        session.print(families, () => toLines(families, "ended"));
      });
    });
}

type Families = Awaited<ReturnType<Engine["import"]>>;

const toLines = (families: Families, what: string): string =>
  families
    .map(({ workflowName, id, instanceCount }) => {
      const count = instanceCount === 1 ? "" : `, ${instanceCount} instances`;
      return `${toPlainText(`${workflowName} ${id}`)}: ${what}${count}\n`;
    })
    .join("");
