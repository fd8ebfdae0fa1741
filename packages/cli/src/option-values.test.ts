/** Values of options and arguments: checked before anything is asked, with the limits of the routes, under the names that were typed. */
import { INSTANCE_STATUSES, listRoutes, parseDuration } from "@escapement/engine/internal";
import type { Command, Option } from "commander";
import { expect, test, vi } from "vitest";
import { UsageError } from "./errors.ts";
import { toDelay } from "./option-values.ts";
import { createProgram } from "./program.ts";
import { runCommands } from "./testing-command.ts";

vi.setConfig({ testTimeout: 150_000 });

const flatten = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(flatten),
];
const [program, ...verbs] = flatten(createProgram());
const nameOf = (verb: Command): string =>
  verb.parent === program ? verb.name() : `${verb.parent?.name()} ${verb.name()}`;
const options = verbs.flatMap((verb) => verb.options.map((option) => ({ verb, option })));
const optionOf = (verb: string, long: string): Option | undefined =>
  options.find((each) => nameOf(each.verb) === verb && each.option.long === long)?.option;

/** Any text may be right: only who reads it knows. */
const FREE = new Set(["--cursor", "--out", "--from", "--module"]);

test("each option with a value is checked as it is read, unless any text may be right", () => {
  const unchecked = options.filter(
    ({ option }) =>
      (option.required || option.optional) &&
      option.parseArg === undefined &&
      !FREE.has(option.long ?? ""),
  );
  expect(unchecked.map(({ verb, option }) => `${nameOf(verb)} ${option.long}`)).toEqual([
    "start --delay",
  ]);
});

interface StandardShape {
  readonly "~standard": { validate(value: unknown): object | Promise<object> };
}
const QUERIES = new Map(
  listRoutes().map(([name, { query }]) => [name, query as StandardShape] as const),
);

test.each([
  ["ls", "findInstances", "pageSize"],
  ["bulk ls", "listBulks", "pageSize"],
  ["callbacks", "listCallbacks", "pageSize"],
  ["runners", "listLeases", "limit"],
] as const)(
  "%s --limit takes what its route takes, and its help says how much",
  async (verb, route, field) => {
    const option = optionOf(verb, "--limit");
    const most = Number(/1 to (\d+)/.exec(option?.description ?? "")?.[1]);
    for (const count of [0, 1, most, most + 1]) {
      const validated = await QUERIES.get(route)?.["~standard"].validate({
        [field]: String(count),
      });
      const isTaken = count >= 1 && count <= most;
      expect([count, validated !== undefined && !("issues" in validated)]).toEqual([
        count,
        isTaken,
      ]);
      const read = (): unknown => option?.parseArg?.(String(count), undefined);
      if (isTaken) expect(read()).toBe(count);
      else expect(read).toThrow(`from 1 to ${most}`);
    }
  },
);

test.each(["ls", "bulk retry", "replay"])(
  "%s --status takes the statuses that there are",
  (verb) => {
    const option = optionOf(verb, "--status");
    expect(option?.parseArg?.(INSTANCE_STATUSES.join(","), undefined)).toEqual(INSTANCE_STATUSES);
    expect(() => option?.parseArg?.("unknown", undefined)).toThrow(INSTANCE_STATUSES.join(", "));
  },
);

test("--delay takes the durations that code takes, and no other text", async () => {
  for (const text of ["10 minutes", "1h30m", "0 s", "2.5 days"])
    expect([text, parseDuration(text, ""), await toDelay(text)]).toEqual([
      text,
      expect.any(Number),
      text,
    ]);
  for (const text of ["", "5", "-5", "soon", "10 parsecs"])
    await expect(toDelay(text)).rejects.toThrow(UsageError);
});

const NOBODY = ["--db", "postgres://127.0.0.1:9/x"];

const WRONG = [
  [["ls", "--limit", "5000"], "--limit", "from 1 to 100"],
  [["ls", "--status", "nope"], "--status", "waitingForPause"],
  [["ls", "--status", "running,nope"], "--status", "Expected one of"],
  [["ls", "--workflow", ","], "--workflow", "one name at least"],
  [["ls", "--tag", ""], "--tag", "1 to 256 characters"],
  [["ls", "--id-prefix", "x".repeat(257)], "--id-prefix", "1 to 256 characters"],
  [["ls", "--error-code", ""], "--error-code", "1 to 256 characters"],
  [["ls", "--parent", "order"], "--parent", "as order/o-17"],
  [["ls", "--created-from", "1960-01-01"], "--created-from", "from 1970"],
  [["ls", "--updated-before", "99999999999999999"], "--updated-before", "from 1970"],
  [["start", "order", "--delay", "soon"], "--delay", "10 minutes"],
  [["start", "order", "--id", "a b"], "--id", "letters, digits"],
  [["start", "order", "--key", "ключ"], "--key", "printable ASCII"],
  [["start", "order", "--tag", ","], "--tag", "one name at least"],
  [["fork", "order", "o-1", "ship", "--id", ""], "--id", "letters, digits"],
  [["emit", "price", "--key", ""], "--key", "printable ASCII"],
  [["retry", "order", "o-1", "--from", ""], "--from", "Expected the key of a step"],
  [["rewind", "order", "o-1", ""], "'step'", "Expected the key of a step"],
  [["show", "order", ""], "'id'", "letters, digits"],
  [["show", "", "o-1"], "'workflow'", "Expected a name"],
  [["send", "order", "o-1", "bad type"], "'type'", "letters, digits"],
  [["emit", ""], "'topic'", "Expected a name"],
  [["runners", "--limit", "1001"], "--limit", "from 1 to 1000"],
  [["callbacks", "--limit", "101"], "--limit", "from 1 to 100"],
  [["bulk", "retry", "--status", "nope"], "--status", "waitingForPause"],
  [["bulk", "retry", "--parent", "order/a b"], "--parent", "as order/o-17"],
  [["bulk", "ls", "--limit", "500"], "--limit", "from 1 to 100"],
  [["bulk", "show", "a b"], "'job'", "letters, digits"],
  [["replay", "--module", "./x.ts", "--status", "nope"], "--status", "waitingForPause"],
] as const;

test("a wrong value is told with exit code 2 and the name that was typed, before anything is asked", async () => {
  const all = await runCommands(
    WRONG.map(([args]) => [...args, ...NOBODY]),
    {},
  );
  expect(all).toHaveLength(WRONG.length);
  for (const [index, [args, name, words]] of WRONG.entries()) {
    const { code, stdout, stderr = "" } = all[index] ?? {};
    expect([args, code, stdout]).toEqual([args, 2, ""]);
    expect(stderr).toContain(name);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/query|body|pageSize|INVALID_/);
  }
});
