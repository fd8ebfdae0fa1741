/** Each program on each store: it ends alike and leaves the same rows, and a process that dies around a commit changes neither. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { crashEverywhereOn } from "../../../packages/engine/src/testing/crashes/crash-everywhere.ts";
import {
  type OpenPlayStore,
  openMemory,
} from "../../../packages/engine/src/testing/crashes/play.ts";
import type { Harness } from "@escapement/engine/testing";
import { ofToday, today } from "@escapement-internal/test-servers";
import { PLAY_STORES, type PlayStores } from "./play-stores.ts";
import type { Program, Programs } from "./program.ts";

/** A play on a server is some hundred trips. */
const MAX_CRASHES = { memory: 60, others: 6 } as const;

const [memory, ...databases] = PLAY_STORES.map(({ name }) => name);

/** All programs on memory; each meets one of the databases a day, and each database a third of them. */
const playedOn = (store: string, programs: Programs): readonly [string, Programs[string]][] =>
  Object.entries(programs).filter(
    (_, turn) => store === memory || ofToday(databases, 1, today() + turn).includes(store),
  );

export function provePrograms(programs: Programs): void {
  describe.each([...PLAY_STORES])("whole programs on $name", ({ name, isAvailable, start }) => {
    let stores: PlayStores | undefined;
    beforeAll(async () => {
      if (isAvailable) stores = await start();
    });
    afterAll(() => stores?.remove());

    it.skipIf(!isAvailable).each([...playedOn(name, programs)])(
      "%s",
      async (_title, create) => {
        if (stores === undefined) throw new RangeError("the store was not opened");
        const maxCrashes = name === "memory" ? MAX_CRASHES.memory : MAX_CRASHES.others;
        const program = create();
        const { report, rows, failures } = await playOn(stores.open, program, maxCrashes);
        expect(failures.slice(0, 1)).toEqual([]);
        if (program.changesCode !== true) expect(report.text).toMatch(/ 0 findings in \d+ crash/);
        expect(report).toMatchObject({ isEndCompared: true });
        expect(rows.length).toBeGreaterThan(0);
        expect(rows).toEqual((await playOn(openMemory, create(), 1)).rows);
      },
      300_000,
    );
  });
}

/** @returns `rows`: of the first play, in which no process dies; `failures`: what driving it threw in any play */
async function playOn(
  openStore: OpenPlayStore,
  { workflow, scenario }: Program,
  maxCrashes: number,
) {
  const played: (readonly string[])[] = [];
  const failures: unknown[] = [];
  const report = await crashEverywhereOn(openStore, workflow, {
    ...scenario,
    maxCrashes,
    drive: async (harness, instance) => {
      await scenario.drive(harness, instance).catch((error: unknown) => {
        failures.push(error);
        throw error;
      });
      played.push(await rowsOf(harness as Harness<never>, workflow.name, instance.id));
    },
  });
  return { report, failures, rows: played[0] ?? [] };
}

/** The steps and events of all runs, a line each, without ids and instants. */
async function rowsOf(
  harness: Harness<never>,
  workflowName: string,
  instanceId: string,
): Promise<readonly string[]> {
  const { runNumber: last } = await harness.history(workflowName, instanceId);
  const lines: string[] = [];
  for (let runNumber = 1; runNumber <= last; runNumber += 1)
    for (let cursor: string | undefined; ;) {
      const page = await harness.engine.listHistory(workflowName, instanceId, {
        runNumber,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const { stepKey, type, status, attempts, error } of page.steps)
        lines.push(`${runNumber} ${stepKey} ${type} ${status} ${attempts} ${error?.code ?? ""}`);
      for (const { type, payload, consumedByStepKey } of page.events)
        lines.push(
          `${runNumber} event ${type} ${JSON.stringify(payload, withoutStack)} ${consumedByStepKey}`,
        );
      if (!page.hasNextPage || page.cursor === undefined) break;
      ({ cursor } = page);
    }
  return lines.map((line) => line.replaceAll(UUID, "an id")).toSorted();
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu;

const withoutStack = (name: string, value: unknown): unknown => (name === "stack" ? "" : value);
