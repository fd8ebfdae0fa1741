import { describe, expect, test } from "vitest";
import { findProblems } from "./find-problems.ts";
import { parseOptions } from "./options.ts";
import { drawRelay } from "./picture.ts";
import type { Leg, RelayEnd } from "./relay-end.ts";

const toLeg = (hop: string, number: number): Leg => ({
  hop,
  leg: `leg ${number}`,
  note: null,
  pid: 100 + number,
  startedAtMs: 1000 * (number - 1),
  readyAtMs: 1000 * number - 500,
  doneAtMs: 1000 * number - 100,
  killedAtMs: 1000 * number,
  ran: { leg: `leg ${number}`, attempt: 1, platform: hop, runtime: `${hop} 1.0` },
});
const legs = [toLeg("node", 1), toLeg("deno", 2)];
const bodies = legs.flatMap(({ ran }) => (ran === null ? [] : [ran]));
const right = {
  legs,
  bodies,
  skipped: [{ hop: "vercel", reason: "vercel is not installed: install it" }],
  status: "complete",
  output: "start → node → deno",
};

describe("a relay is right only when each platform ran its leg once", () => {
  const [first, second] = bodies;
  if (first === undefined || second === undefined) throw new Error("two bodies");
  test.each<[string, Partial<RelayEnd>]>([
    ["leg 1 ran 0 times", { bodies: [second] }],
    ["leg 1 ran 2 times", { bodies: [first, first, second] }],
    ["leg 2 was deno's, and ran on node", { bodies: [first, { ...second, platform: "node" }] }],
    ["leg 3 is nobody's, and ran", { bodies: [...bodies, { ...second, leg: "leg 3" }] }],
    ["the instance is running, not complete", { status: "running" }],
    [`the baton says "start", not start → node → deno`, { output: "start" }],
  ])("%s", (problem, wrong) => {
    expect(findProblems(right)).toEqual([]);
    expect(findProblems({ ...right, ...wrong })).toEqual([problem]);
  });
});

test("the picture shows who ran what and when, and names who was skipped", () => {
  expect(drawRelay("libSQL server", { ...right, problems: [] })).toMatchInlineSnapshot(`
    "  libSQL server: one instance, 2 platforms, 2 SIGKILLs

      leg  platform  runtime   pid  ready in  tick took  0 s                                    2.0 s
      1    node      node 1.0  101  0.5 s     0.4 s      ░░░░░░░░░░░███████████✗
      2    deno      deno 1.0  102  0.5 s     0.4 s                            ░░░░░░░░░░███████████✗
      SKIPPED vercel: vercel is not installed: install it

      baton: start → node → deno
      Every platform ran its step once; the instance is complete."
  `);
});

test("the picture of a relay that went wrong says what", () => {
  const problems = ["leg 1 ran 2 times"];
  expect(drawRelay("Postgres", { ...right, problems })).toContain(
    "THE RELAY IS WRONG:\n  leg 1 ran 2 times",
  );
});

test("both databases unless one is asked for, and nothing else is taken", () => {
  expect(parseOptions([])).toEqual(["libsql", "postgres"]);
  expect(parseOptions(["--libsql"])).toEqual(["libsql"]);
  expect(parseOptions(["--postgres"])).toEqual(["postgres"]);
  expect(parseOptions(["--help"])).toBeNull();
  expect(() => parseOptions(["--mysql"])).toThrow("--mysql");
});
