/** Plays a program to a commit, moves it to another store as the guide says, and plays it to its end there. */
import type { Engine } from "@escapement/engine";
import { createHarness, type Harness } from "@escapement/engine/testing";
import { effects, happen, SIGNING_KEY, TOPICS, WORKFLOWS } from "./programs.ts";
import type { Timed } from "./stores.ts";

export type Played = Harness<typeof WORKFLOWS>;
type Store = Timed["store"];

/** One instance of a program. */
export interface Instance {
  readonly name: string;
  readonly id: string;
}

const HOUR_MS = 3_600_000;
const ENDED: ReadonlySet<string> = new Set(["complete", "errored", "terminated"]);

/** A harness with every program on a store. @param key that callbacks are signed with */
export const openHarness = (
  { store, clock }: Timed,
  wrap: (store: Store) => Store = (same) => same,
  key: string = SIGNING_KEY,
): Played =>
  createHarness({
    workflows: WORKFLOWS,
    topics: TOPICS,
    callbacks: { signingKeys: [key], url: "https://move.example/api" },
    store: { store: wrap(store), clock },
  });

/** Goes on until the program has ended or is paused. */
export async function drive(harness: Played, { name, id }: Instance): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    await harness.runUntilIdle();
    const { status } = await harness.status(name, id);
    if (ENDED.has(status) || status === "paused") return;
    await happen(harness.engine, { name, id, round });
    await harness.runUntilIdle();
    await harness.clock.advance(HOUR_MS);
  }
  throw new RangeError(`${name} does not come to an end`);
}

/** What a program has come to. */
export interface End {
  readonly status: string;
  readonly output: unknown;
  readonly error: string | undefined;
  /** Keys of its bodies, with how often each ran. */
  readonly effects: readonly string[];
  readonly progress: readonly unknown[];
}

export async function endOf(
  { engine }: Pick<Played, "engine">,
  { name, id }: Instance,
): Promise<End> {
  const { status, output, error } = (await engine.getInstance(name, id)).details;
  const { entries } = await engine.readProgress(name, id);
  const progress = entries.map((entry) => [entry.sequence, entry.value]);
  // Ids of children follow from rows of the database that they were created in.
  const keys = effects.map((key) => key.replace(/^(\w+)\/[^/]+/, "$1"));
  return { status, output, error: error?.message, effects: keys.toSorted(), progress };
}

/** A store that pauses the program before its commit of a number. */
export function pausingAt(
  at: number,
  instance: Instance,
): { wrap(store: Store): Store; count(): number } {
  let count = 0;
  const wrap = (store: Store): Store => ({
    ...store,
    commit: async (commits) => {
      count += 1;
      if (count === at) await pause(store, instance);
      return store.commit(commits);
    },
  });
  return { wrap, count: () => count };
}

/** Row ids are there once, in every store. */
let commands = 0;
const pause = (store: Store, { name: workflowName, id: instanceId }: Instance): Promise<unknown> =>
  store.control({
    workflowName,
    instanceId,
    command: "pause",
    taskRowId: `pause-${(commands += 1)}`,
    ifRunNumber: null,
    ifStatus: null,
    controlKey: null,
  });

/** The lines of an export. */
export async function readAll(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

/** An instance of `events` that is paused in its first wait, with events that nobody has taken. */
export async function makePaused(
  { engine, runUntilIdle }: Played,
  id: string,
): Promise<readonly string[]> {
  await engine.createInstance("events", { id, tags: ["a", "b"], memo: { at: new Date(5) } });
  await runUntilIdle();
  await engine.control("events", id, "pause");
  for (const payload of [1, 2, 3]) await engine.sendEvent("events", id, { type: "go", payload });
  return readAll(engine.export("events", id));
}

/** Pauses whoever goes on of a family, until it can be exported. */
export async function exportPaused(
  harness: Played,
  { name, id }: Instance,
): Promise<readonly string[]> {
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      return await readAll(harness.engine.export(name, id));
    } catch (error) {
      const { code, details } = error as {
        readonly code: string;
        readonly details: Record<string, string>;
      };
      if (code !== "INSTANCE_NOT_PAUSED") throw error;
      await harness.engine.control(
        details["liveWorkflowName"] ?? "",
        details["liveInstanceId"] ?? "",
        "pause",
      );
      await harness.runUntilIdle();
    }
  }
  throw new RangeError(`${name} cannot be paused`);
}

/** Every instance that is paused goes on. */
export async function resumeAll(engine: Engine): Promise<void> {
  const { instances } = await engine.findInstances({ status: ["paused"], pageSize: 100 });
  for (const { workflowName, id } of instances) await engine.control(workflowName, id, "resume");
}

/** Pause, export, import, close, resume. */
export async function move(from: Played, to: Played, instance: Instance): Promise<void> {
  const lines = await exportPaused(from, instance);
  await to.engine.import(lines);
  await from.engine.closeMoved(lines);
  await resumeAll(to.engine);
}

/** A store takes the time of another one. */
export async function catchUp(from: Timed, to: Played): Promise<void> {
  const ms = (await from.clock.now()) - to.clock.now();
  if (ms > 0) await to.clock.advance(ms);
}
