/**
 * Every list, filter and count takes one trip, goes by an index, and is bounded work, on Postgres and on SQLite.
 *
 * `LISTS_INSTANCES` says over how many instances; 1 000 000 is what `npm run bench -- --lists` takes.
 */
import { expect, test } from "vitest";
import { openEmbedded } from "../stores/embedded.ts";
import { openPostgres } from "../stores/postgres.ts";
import { measureLists } from "./measure-lists.ts";
import { TARGET_MS } from "./report-lists.ts";

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
    // Of the processor: what else a machine does tells nothing about a list.
    const missed = figures.filter(
      ({ trips, readsWholeTable, processorP50Ms }) =>
        trips !== 1 || readsWholeTable || processorP50Ms > TARGET_MS,
    );
    expect(missed).toEqual([]);
  },
  600_000,
);
