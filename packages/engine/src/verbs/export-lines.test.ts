import { expect, test } from "vitest";
import { readLines } from "./export-lines.ts";

async function readAll(chunks: Iterable<string | Uint8Array>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(chunks)) lines.push(line);
  return lines;
}

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Every way to cut it in three. */
function* cuts(bytes: Uint8Array): Generator<Uint8Array[]> {
  for (let first = 0; first <= bytes.length; first += 1)
    for (let second = first; second <= bytes.length; second += 1)
      yield [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
}

test("S8-006 lines are the same wherever a file is cut, within a character too", async () => {
  for (const text of ["é\n𝄞\n\nz", "a\nß\n"]) {
    const lines = text.endsWith("\n") ? text.slice(0, -1).split("\n") : text.split("\n");
    for (const chunks of cuts(toBytes(text))) expect(await readAll(chunks)).toEqual(lines);
  }
  expect(await readAll(["a", toBytes("b\nc"), "d\n"])).toEqual(["ab", "cd"]);
});

test("S8-006 a mark of the order of bytes before the first line is no part of it", async () => {
  expect(await readAll([toBytes("\ufeffa\nb\n")])).toEqual(["a", "b"]);
});

const refused = (chunks: Iterable<string | Uint8Array>): Promise<unknown> =>
  readAll(chunks).catch((error: unknown) => error);

test("S8-006 bytes that are no UTF-8 are told with their line, whichever chunk has them", async () => {
  const bad = new Uint8Array([...toBytes("a\nb\nc"), 0xff, ...toBytes("\nd\n")]);
  for (const chunks of cuts(bad))
    expect(await refused(chunks)).toMatchObject({
      code: "IMPORT_INVALID",
      details: { line: 3 },
      message: expect.stringMatching(/^line 3: .*UTF-8/),
    });
  // A truncated character ends neither a line nor a file.
  const half = toBytes("a\n𝄞").subarray(0, 4);
  expect(await refused([half])).toMatchObject({ details: { line: 2 } });
  expect(await refused([half, "\n"])).toMatchObject({ details: { line: 2 } });
});

test("S8-006 a line that is too long is told with its number, before it is held", async () => {
  const long = "x".repeat(9_000_000);
  let given = 0;
  const endless = function* (): Generator<string> {
    yield "a\nb\n";
    for (; given < 10; given += 1) yield long;
  };
  const error = await refused(endless());
  expect(error).toMatchObject({
    code: "IMPORT_INVALID",
    details: { line: 3 },
    message: expect.stringMatching(/^line 3: .*more than 16777216 characters/),
  });
  expect(given).toBeLessThan(3);
});
