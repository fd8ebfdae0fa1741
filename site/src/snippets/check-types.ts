/** Runs the compiler over a program of snippets. */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { ROOT } from "../../../scripts/project-files.ts";
import type { SnippetProgram } from "./write-program.ts";

const MESSAGE = /^(?<file>.+?)\((?<line>\d+),\d+\): (?<text>error .*)$/;

/** What the compiler says of the snippets, at the pages' own lines. Empty when all compile. */
export function checkTypes({ project, origins }: SnippetProgram): string[] {
  const compiler = join(ROOT, "node_modules/.bin/tsc");
  const { stdout, stderr, status } = spawnSync(compiler, ["--pretty", "false", "-p", project], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const messages = stdout.split("\n").flatMap((message) => {
    const { file = "", line = "", text = "" } = MESSAGE.exec(message)?.groups ?? {};
    const snippet = origins.get(resolve(ROOT, file));
    if (text === "") return [];
    return snippet === undefined
      ? [message]
      : [`${snippet.page}:${snippet.line + Number(line) - 1} ${text}`];
  });
  return status === 0 || messages.length > 0 ? messages : [`${stdout}${stderr}`];
}
