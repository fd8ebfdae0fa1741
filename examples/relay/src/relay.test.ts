import {
  createPostgresDatabase,
  ofToday,
  sqldAvailable,
  startSqld,
} from "@escapement-internal/test-servers";
import { afterEach, describe, expect, test } from "vitest";
import { HOPS } from "./hops/index.ts";
import { drawRelay } from "./picture.ts";
import { type RelayOptions, runRelay } from "./run-relay.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

for (const { name, missing, note } of HOPS) {
  const reason = missing();
  const remark = reason === null ? (note?.() ?? null) : `SKIPPED: ${reason}`;
  if (remark !== null) console.warn(`the relay's ${name}: ${remark}`);
}

/** Every platform that is installed, each in a process of its own that is killed. */
async function expectOnceEach(place: RelayOptions["place"]): Promise<void> {
  const end = await runRelay({ place, hops: HOPS });
  const picture = drawRelay(place.kind, end);
  expect(end.problems, picture).toEqual([]);
  const runners = HOPS.filter(({ missing }) => missing() === null).map(({ name }) => name);
  expect(end.bodies.map(({ platform }) => platform)).toEqual(runners);
  expect(end.output).toBe(["start", ...runners].join(" → "));
  expect(new Set(end.legs.map(({ pid }) => pid)).size).toBe(runners.length);
  for (const { name } of HOPS) expect(picture).toContain(name);
}

/** A day each. */
const TODAY = ofToday(["libSQL", "Postgres"], 1);

describe("one instance over every installed platform, each killed after its step", () => {
  test.runIf(TODAY.includes("libSQL") && sqldAvailable())(
    "on a libSQL server",
    { timeout: 300_000 },
    async () => {
      const server = await startSqld();
      cleanups.push(() => server.stop());
      await expectOnceEach({ kind: "libsql", url: server.url });
    },
  );

  test.runIf(TODAY.includes("Postgres"))("on Postgres", { timeout: 300_000 }, async () => {
    const database = await createPostgresDatabase();
    cleanups.push(() => database.drop());
    await expectOnceEach({ kind: "postgres", url: database.url });
  });
});
