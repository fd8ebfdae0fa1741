/** The walk-through of a broken deploy: its page, read as somebody reads who types what it says. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileCommand } from "./testing-command.ts";

export const ROOT: string = fileURLToPath(new URL("../../../", import.meta.url));

/** What stands under a heading of the page. */
interface Part {
  readonly title: string;
  /** Lines to type, in order. */
  readonly commands: readonly string[];
  /** What the page says that they print. */
  readonly shown: readonly string[];
}

const isTyped = (code: string): boolean => /^(?:escapement|export|alias|npm) /.test(code);

/** The parts of the page that have commands, in order. */
export function readParts(): readonly Part[] {
  const page = readFileSync(join(ROOT, "docs/guides/broken-deploy.md"), "utf8");
  return page.split(/^## /m).flatMap((text) => {
    const codes = [...text.matchAll(/^```\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
    const commands = codes.filter(isTyped).flatMap((code) => code.trimEnd().split("\n"));
    const title = text.slice(0, text.indexOf("\n"));
    const shown = codes.filter((code) => !isTyped(code));
    return commands.length === 0 ? [] : [{ title, commands, shown }];
  });
}

/** A line's arguments for the command, with its variables, and with paths that hold in any folder. */
export function toArgs(line: string, variables: Readonly<Record<string, string>>): string[] {
  const [, ...words] = line.split(" ");
  return words
    .map((word) => word.replace(/^"\$(\w+)"$/, (_all, name: string) => variables[name] ?? ""))
    .map((word) => (word.startsWith("examples/") ? join(ROOT, word) : word));
}

/** `escapement dev` that stays while the page is followed. */
export interface Dev {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts it on any free port, so that tests do not meet. */
export async function startDev(args: readonly string[]): Promise<Dev> {
  const anyPort = args.map((word, index) => (args[index - 1] === "--port" ? "0" : word));
  const command = await compileCommand(anyPort);
  const child = spawn(process.execPath, command.args, { env: command.env });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGINT");
    await once(child, "exit");
  };
  return { url: await hearUrl(child), stop };
}

async function hearUrl(child: ChildProcess): Promise<string> {
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  for await (const chunk of child.stdout ?? []) {
    said += String(chunk);
    const url = /^ +API +(\S+)$/m.exec(said)?.[1];
    if (url !== undefined) return url;
  }
  throw new RangeError(said);
}
