/** The command lines in the guides, with their options, exist in the program. None is run. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { createProgram } from "./program.ts";

const GUIDES = fileURLToPath(new URL("../../../docs/guides", import.meta.url));

/** In fences, if a line begins with one or with a shell keyword, and between backticks. */
function readCommands(page: string): readonly string[] {
  const text = readFileSync(join(GUIDES, page), "utf8");
  const fences = [...text.matchAll(/^ *```(\w*).*\n([^]*?)^ *```$/gm)]
    .filter(([, language = ""]) => ["", "bash", "sh", "yaml"].includes(language))
    .map(([, , code = ""]) => code);
  const lines = fences.flatMap((code) => code.split("\n"));
  const inFences = lines.map(
    (line) =>
      /^(?:.* (?:do|npx) |npx |[A-Z_]+=\S+ |[A-Z_]+="[^"]*" )?\s*escapement (.*)$/.exec(
        line,
      )?.[1] ?? "",
  );
  const inline = [...text.matchAll(/`escapement ([^`\n]+)`/g)].map(([, line = ""]) => line);
  return [...inFences, ...inline].map(toWithoutShell).filter((line) => line !== "");
}

/** Without the shell's part: other commands, and files that it writes to. */
const toWithoutShell = (line: string): string =>
  line.replace(/<(\w+)>/g, "$1").replace(/\s*(?:[|;>]|&&|# ).*$/, "");

/** Splits words like a shell, as far as the guides need it. The value of a variable is its name. */
const toWords = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|"\$?([^"]*)"|(\S+)/g)].map((found) => found.slice(1).join(""));

function disarm(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  for (const each of command.commands) disarm(each);
  if (command.commands.length === 0) command.action(() => undefined);
}

/** null: the program accepts it. A verb that is only named, without its arguments, is accepted. */
async function refusalOf(line: string): Promise<string | null> {
  const program = createProgram();
  disarm(program);
  const words = toWords(line);
  try {
    await program.parseAsync(words, { from: "user" });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const isNamed = words.length <= 2 && words.every((word) => /^[a-z]+$/.test(word));
    return isNamed && /^commander\.(missing|help)/.test(error.code) ? null : error.message;
  }
}

const pages = readdirSync(GUIDES)
  .filter((page) => page.endsWith(".md"))
  .map((page) => [page, readCommands(page)] as const)
  .filter(([, commands]) => commands.length > 0);

describe("S8-010 every command line of a guide can be typed as it stands", () => {
  test.each(pages)("%s", async (_page, commands) => {
    const refusals = await Promise.all(
      commands.map(async (line) => [line, await refusalOf(line)] as const),
    );
    expect(refusals.filter(([, refusal]) => refusal !== null)).toEqual([]);
  });

  test("the pages that an operator reads in a hurry are among them, and a wrong line is found", async () => {
    const names = pages.map(([page]) => page);
    expect(names).toEqual(expect.arrayContaining(["broken-deploy.md", "cli.md", "runbook.md"]));
    expect(readCommands("broken-deploy.md")).toContain(
      "ls --workflow order --status errored --watch",
    );
    expect(await refusalOf("ls --wach")).toMatch(/unknown option/);
    expect(await refusalOf("shwo order o-1")).toMatch(/unknown command/);
    expect(await refusalOf("show order")).toBe(null);
    expect(await refusalOf("show order o-1 twice")).toMatch(/too many arguments/);
  });
});
