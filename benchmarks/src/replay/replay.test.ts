/** The short form of `npm run bench -- --replay`, which replays 10 000 histories and measures how long it takes. */
import { expect, test } from "vitest";
import { openEmbedded } from "../stores/embedded.ts";
import { measureReplay } from "./measure-replay.ts";
import { isRight } from "./report-replay.ts";

test("S8-013 of 100 histories in a database or an export a replay names each misfit and its step, starts no body and holds few of them", async () => {
  const figures = await measureReplay(openEmbedded(), {
    store: "embedded",
    histories: 100,
    say: () => {},
  });
  expect(figures).toMatchObject([
    { from: "database", histories: 100, bodiesStarted: 0, misfits: 2, diverged: 2, named: 2 },
    { from: "export", histories: 100, bodiesStarted: 0, misfits: 2, diverged: 2, named: 2 },
  ]);
  expect(figures.filter((one) => !isRight(one))).toEqual([]);
}, 120_000);
