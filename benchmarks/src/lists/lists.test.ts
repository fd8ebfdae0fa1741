/**
 * Every list, filter and count takes one trip and goes by an index, on Postgres and on SQLite. How long each takes is for
 * `npm run bench -- --lists` to tell, over 1 000 000 instances: a slow machine is no fault of a list.
 *
 * `LISTS_INSTANCES` says over how many instances.
 */
import { expect, test } from "vitest";
import { openEmbedded } from "../stores/embedded.ts";
import { openPostgres } from "../stores/postgres.ts";
import { measureLists } from "./measure-lists.ts";

const INSTANCES = Number(process.env["LISTS_INSTANCES"] ?? "50000");

test.each([
  ["postgres", (): Promise<ReturnType<typeof openEmbedded>> => openPostgres(null)],
  ["embedded", async (): Promise<ReturnType<typeof openEmbedded>> => openEmbedded()],
] as const)(
  "S8-001 %s: one trip and no whole table for any list, filter or count, whatever is stuck and however many children there are",
  async (store, open) => {
    const stage = await open();
    const options = { store, instances: INSTANCES, samples: 15, say: () => undefined };
    const figures = await measureLists(stage, options);
    expect(figures.length).toBeGreaterThan(25);
    const missed = figures.filter(({ trips, readsWholeTable }) => trips !== 1 || readsWholeTable);
    expect(missed).toEqual([]);
  },
  600_000,
);
