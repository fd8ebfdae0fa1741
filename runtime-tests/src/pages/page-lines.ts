/** Runs what a page says after "Install", in the project that it has made. */
import { fileURLToPath } from "node:url";
import { spawnServer } from "@escapement-internal/test-servers";
import { expect, onTestFailed } from "vitest";
import type { Stage } from "./platform.ts";
import type { Project } from "./project.ts";

const TSC = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));

/** @throws with what the compiler says */
export async function checkTypes({ run: runLine }: Project): Promise<void> {
  await runLine(`"${process.execPath}" "${TSC}" --project .`).catch((error: unknown) => {
    throw new TypeError((error as { readonly stdout: string }).stdout);
  });
}

/** Runs the first fence of "Deploy", whose first line runs `deploy`, and holds the page to the commands that it prints. */
export async function prepareDeployment(
  { page, run: runLine }: Project,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [[write = "", ...build] = [], ...later] = page.commands.get("Deploy") ?? [];
  const commands = (await runLine(write)).trim().split("\n");
  expect(later.flat(), "the page shows each command of deploy").toEqual(
    expect.arrayContaining(commands),
  );
  for (const line of build) await runLine(line, env);
}

/**
 * Lines of "Local run" but the exports and the last, which starts the application.
 * @param env - what the play sets. The page's exports are held to it: the same names, in order
 */
export function readLocalRun(
  { page }: Project,
  env: Readonly<Record<string, string>>,
): { readonly before: readonly string[]; readonly start: string } {
  const lines = page.commands.get("Local run")?.[0] ?? [];
  const variables = lines.flatMap((line) => /^export (\w+)=/.exec(line)?.[1] ?? []);
  expect(variables).toEqual(Object.keys(env));
  const rest = lines.filter((line) => !line.startsWith("export "));
  return { before: rest.slice(0, -1), start: rest.at(-1) ?? "" };
}

/** Starts a line that stays, until its output matches. What it prints is shown when the play fails. */
export async function startLine(
  { project: { folder }, defer }: Pick<Stage, "project" | "defer">,
  line: string,
  options: { readonly env: Readonly<Record<string, string>>; readonly ready: RegExp },
): Promise<{ readonly match: RegExpExecArray; readonly kill: () => Promise<void> }> {
  const found: RegExpExecArray[] = [];
  let readOutput = (): string => "";
  const server = await spawnServer({
    command: "bash",
    args: ["-c", line],
    cwd: folder,
    env: options.env,
    readyTimeoutMs: 90_000,
    ready: async (output) => {
      readOutput = output;
      found.push(...[options.ready.exec(output())].filter((match) => match !== null));
      return found.length > 0;
    },
  });
  onTestFailed(() => console.warn(readOutput()));
  defer(() => server.stop());
  return { match: found[0] ?? expect.unreachable(), kill: () => server.stop() };
}
