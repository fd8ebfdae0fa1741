/** The output of `--help`, and how a verb with a missing argument is refused. */
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "./program.ts";
import { runCommand, runCommands } from "./testing-command.ts";

const flatten = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(flatten),
];

const commands = flatten(createProgram());

test("each verb is summed up by what it does", () => {
  const [, ...verbs] = commands;
  const others = verbs
    .map((verb) => verb.summary())
    .filter(
      (summary) =>
        !/^(?:ask|check|delete|do|end|explain|list|look|make|emit|pause|print|read|restart|resume|retry|run|say|send|show|start|take|write)\b/.test(
          summary,
        ),
    );
  expect(verbs.length).toBeGreaterThan(30);
  expect(others).toEqual([]);
});

test("no help speaks of what only its library knows", () => {
  const texts = commands.map((command) => command.helpInformation());
  expect(texts.filter((text) => text.includes("preset"))).toEqual([]);
});

test("an instant is never guessed: seconds, words and dates that there are not are refused", async () => {
  const wrong = ["5", "1764400000", "yesterday", "2026-13-01"];
  const lines = wrong.map((text) => [
    "ls",
    "--db",
    "postgres://127.0.0.1:9/x",
    "--created-from",
    text,
  ]);
  for (const { code, stderr } of await runCommands(lines, {}))
    expect([code, stderr]).toEqual([2, expect.stringContaining("Expected a time such as")]);
});

test("a bulk job without a filter is refused before anybody is asked, with the options there are", async () => {
  const { code, stderr } = await runCommand(["bulk", "retry", "--db", "postgres://127.0.0.1:9/x"]);
  expect([code, stderr]).toEqual([
    2,
    "escapement: which instances? Give at least one of --workflow, --status, --tag, --id-prefix, --error-code, --parent, --stuck, or a time\n",
  ]);
});
