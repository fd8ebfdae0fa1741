/** Files that nobody's engine has written: each is refused with its line, and leaves nothing. */
import { crc32 } from "node:zlib";
import type { Engine } from "@escapement/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHarness, type Played, readAll } from "./move.ts";
import { begin } from "./programs.ts";
import { openLibsql, openMemory, type Timed } from "./stores.ts";

type Line = Record<string, unknown>;
type Lines = readonly Line[];

const find = (lines: Lines, kind: string): Line => {
  const line = lines.find((each) => each["kind"] === kind);
  if (line === undefined) throw new RangeError(`there is no ${kind}`);
  return line;
};

/** The file of lines, with an end that fits them. */
function toFile(lines: Lines): string {
  const records = lines.slice(0, -1);
  const written = records.map((line) => `${JSON.stringify(line)}\n`).join("");
  const body = written.replace(JSON.stringify(DEEP), LISTS);
  const count = (kind: string): number => records.filter((line) => line["kind"] === kind).length;
  const counts = {
    instance: count("instance"),
    step: count("step"),
    event: count("event"),
    progress: count("progress"),
  };
  const sum = toCrc(body);
  return `${body}${JSON.stringify({ counts, crc32: sum, ...lines.at(-1) })}\n`;
}

const toCrc = (text: string): string => crc32(text).toString(16).padStart(8, "0");

/** Changes a line of a kind. */
const edit =
  (kind: string, change: (line: Line) => Line) =>
  (lines: Lines): Lines => {
    const target = find(lines, kind);
    return lines.map((line) => (line === target ? change(line) : line));
  };
const set = (kind: string, members: Line) => edit(kind, (line) => ({ ...line, ...members }));
const again =
  (kind: string, members: Line = {}) =>
  (lines: Lines) =>
    lines.flatMap((line) =>
      line === find(lines, kind) ? [line, { ...line, ...members }] : [line],
    );

/** Stands for lists within lists, which JSON.stringify cannot write. */
const DEEP = "lists within lists";
const LISTS = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;

const HOSTILE: readonly (readonly [string, (lines: Lines) => Lines])[] = [
  ["another format", set("header", { format: "other" })],
  ["a later version", set("header", { version: 2 })],
  ["a name for the import that is none", set("header", { exportId: "../../etc" })],
  ["a workflow's name twice", set("header", { workflows: ["events", "events"] })],
  ["another root", set("header", { root: { workflowName: "events", instanceId: "other" } })],
  [
    "an instance of a workflow that the header does not name",
    set("header", { workflows: ["child"] }),
  ],
  ["an id that is too long", set("instance", { instanceId: "x".repeat(101) })],
  ["an id that is a path", set("instance", { instanceId: "../x" })],
  ["an instance that runs", set("instance", { status: "running" })],
  ["a status that there is none of", set("instance", { status: "unknown" })],
  ["one that has ended and has no end", set("instance", { status: "complete" })],
  ["one that failed and has no error", set("instance", { status: "errored", completedAt: 1 })],
  ["an output of one that is paused", set("instance", { output: "1" })],
  ["params that are no JSON", set("instance", { params: "{" })],
  ["params that are no text", set("instance", { params: { a: 1 } })],
  [
    "params that no code can decode",
    set("instance", { params: `${"[".repeat(50_000)}"$escapement"${"]".repeat(50_000)}` }),
  ],
  ["a text that no store can hold", set("instance", { controlKey: "a\u0000b" })],
  ["a run number that is none", set("instance", { runNumber: 0 })],
  ["a run number with a fraction", set("instance", { runNumber: 1.5 })],
  ["an instant before all time", set("instance", { createdAt: -1 })],
  [
    "too many tags",
    set("instance", { tags: Array.from({ length: 17 }, (_, index) => `t${index}`) }),
  ],
  [
    "a parent that is not of the file",
    set("instance", {
      parent: {
        workflowName: "events",
        instanceId: "victim",
        runNumber: 1,
        stepKey: "a",
        onParentEnd: "abandon",
      },
    }),
  ],
  ["a second instance that nobody has started", again("instance", { instanceId: "second" })],
  ["an instance twice", again("instance")],
  ["a member that nobody knows", set("instance", { admin: true })],
  [
    "a prototype",
    edit(
      "instance",
      (line) => JSON.parse(`{"__proto__":{"a":1},${JSON.stringify(line).slice(1)}`) as Line,
    ),
  ],
  ["a member that is missing", edit("step", ({ status: _status, ...line }) => line)],
  ["a step of a run that was never", set("step", { runNumber: 2 })],
  ["a type of step that there is none of", set("step", { type: "shell" })],
  ["a settled step without its order", set("step", { status: "completed", settledOrder: null })],
  ["an open step with an order", set("step", { status: "waiting", settledOrder: 3 })],
  ["an order of 0", set("step", { status: "completed", settledOrder: 0 })],
  ["a step twice", again("step")],
  ["a step's key twice", again("step", { id: "another" })],
  ["a row id that is too long", set("step", { id: "x".repeat(31) })],
  ["a step's key of a megabyte", set("step", { stepKey: "x".repeat(1_000_000) })],
  ["a mark that is no sequence", set("step", { result: `"none"` })],
  ["an error that is a text", set("step", { error: "wrong" })],
  [
    "an error with causes without end",
    set("step", {
      error: Array.from({ length: 9 }).reduce(
        (cause) => ({ name: "E", message: "", code: null, details: null, stack: null, cause }),
        null,
      ),
    }),
  ],
  [
    "an error whose details no stack has room for",
    set("step", {
      error: { name: "E", message: "", code: null, stack: null, cause: null, details: { a: DEEP } },
    }),
  ],
  ["an event twice", again("event")],
  ["events in another order", again("event", { id: "another", sequence: 1, eventId: null })],
  ["an event that was taken and not delivered", set("event", { consumedByStepKey: "wait" })],
  ["an event of another workflow", set("event", { workflowName: "victim" })],
  ["an event's type with a NUL", set("event", { type: "go\u0000" })],
  [
    "an event before the steps",
    (lines) =>
      [lines[0], lines[1], find(lines, "event"), find(lines, "step"), lines.at(-1)] as Lines,
  ],
  ["a step before any instance", (lines) => [lines[0], find(lines, "step"), lines.at(-1)] as Lines],
  ["nothing between its beginning and its end", (lines) => [lines[0], lines.at(-1)] as Lines],
  ["a kind that there is none of", set("event", { kind: "task" })],
  ["another header within", (lines) => [lines[0], lines[0], ...lines.slice(1)] as Lines],
  ["another sum", set("end", { crc32: "00000000" })],
  ["another count", set("end", { counts: { instance: 1, step: 9, event: 3, progress: 0 } })],
];

describe.each([
  ["memory", openMemory],
  ["libSQL", openLibsql],
] as const)("%s", (_name, open) => {
  let timed: Timed;
  let harness: Played;
  let engine: Engine;
  let lines: Lines;
  beforeAll(async () => {
    timed = await open();
    harness = openHarness(timed);
    engine = harness.engine;
    const source = openHarness(await openMemory());
    await source.engine.createInstance("events", { id: "x" });
    await source.runUntilIdle();
    await source.engine.control("events", "x", "pause");
    for (const payload of [1, 2, 3])
      await source.engine.sendEvent("events", "x", { type: "go", payload });
    const file = await readAll(source.engine.export("events", "x"));
    lines = file.map((line) => JSON.parse(line) as Line);
    const { counts: _counts, crc32: _crc32, ...end } = find(lines, "end");
    lines = [...lines.slice(0, -1), end];
  });
  afterAll(async () => {
    begin();
    await timed.close();
  });

  const isAnythingThere = async (): Promise<boolean> =>
    (await engine.findInstances({ pageSize: 1 })).instances.length > 0;

  test.each(HOSTILE)(
    "S8-006 %s is refused with its line, and leaves nothing",
    async (what, change) => {
      const refused = await engine.import([toFile(change(lines))]).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        code: "IMPORT_INVALID",
        details: { line: expect.any(Number) },
      });
      // Not for its sum, which fits what was changed.
      expect((refused as Error).message.includes("crc32")).toBe(what === "another sum");
      expect((refused as Error).message.length).toBeLessThan(1000);
      expect(await isAnythingThere()).toBe(false);
      expect(({} as Line)["a"]).toBeUndefined();
    },
  );

  test.each([
    ["no JSON", "{"],
    ["no object", "[]\n"],
    ["nothing", ""],
    ["a page of something else", "<!doctype html>"],
    ["brackets without end", "[".repeat(100_000)],
    ["bytes that are no UTF-8", new Uint8Array([0x7b, 0xff, 0xfe, 0x0a])],
  ])("S8-006 a file of %s is refused", async (_what, chunk) => {
    await expect(engine.import([chunk])).rejects.toMatchObject({
      code: "IMPORT_INVALID",
      details: { line: 1 },
    });
  });

  test("S8-006 a line without end is refused before it is held", async () => {
    let given = 0;
    const endless = function* (): Generator<string> {
      for (; given < 100; given += 1) yield "x".repeat(1_048_576);
    };
    await expect(engine.import(endless())).rejects.toMatchObject({ code: "IMPORT_INVALID" });
    expect(given).toBeLessThan(20);
  });

  test("S8-006 a file of a version that kept no trace contexts is taken", async () => {
    const older = lines.map(({ traceContext: _traceContext, ...line }) => line);
    await engine.import([toFile(older)]);
    expect(await isAnythingThere()).toBe(true);
  });

  test("S8-006 rows that the store has already, of another instance, are not taken away from it", async () => {
    const rename = (line: Line): Line =>
      line["kind"] === "header"
        ? {
            ...line,
            exportId: "another-one",
            root: { workflowName: "events", instanceId: "thief" },
          }
        : line["kind"] === "instance"
          ? { ...line, instanceId: "thief" }
          : line;
    const before = await engine.listHistory("events", "x", {});
    await expect(engine.import([toFile(lines.map(rename))])).rejects.toMatchObject({
      code: "IMPORT_INVALID",
    });
    expect(await engine.listHistory("events", "x", {})).toEqual(before);
    await expect(engine.getInstance("events", "thief")).rejects.toMatchObject({
      code: "INSTANCE_NOT_FOUND",
    });
  });
});
