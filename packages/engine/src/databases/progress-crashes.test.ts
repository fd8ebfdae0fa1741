/**
 * Progress of a run whose process dies before or after any of its commits, and which is restarted, rewound, forked, cancelled or
 * undone: its stream is the same as without a crash.
 */
import { ofToday, sqldAvailable } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defineWorkflow, type WorkflowStep } from "../index.ts";
import type { ProgressView } from "../ports/progress-service.ts";
import type { Store } from "../ports/store.ts";
import { createHarness } from "../testing/harness.ts";
import { readStream } from "../testing/streams.ts";
import {
  openMemoryStore,
  openPostgresStore,
  openSqldStore,
  openSqliteStore,
  type TimedStore,
} from "./testing-stores.ts";

/** Time advances by this much, more than a lease. */
const STEP_MS = 40_000;

async function author(step: WorkflowStep): Promise<void> {
  await step.progress("begun");
  await step.do("work", { undo: (_, context) => context.progress("undone") }, async (context) => {
    // This much is committed while the body continues.
    void context.progress("one".padEnd(40_000));
    await context.progress("two".padEnd(40_000));
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await context.progress("three");
  });
  await step.sleep("nap", "1 minute");
  await step.do("tries", { retries: { limit: 1, delay: 1000 } }, async ({ attempt, progress }) => {
    await progress("tries");
    if (attempt === 1) throw new TypeError("no");
  });
  await step.progress("waits");
  try {
    await step.waitForEvent("wait", { type: "go", timeout: "30 days" });
    await step.do("more", (context) => context.progress("more"));
    await step.progress("last");
  } finally {
    await step.shielded.progress("cleaned");
  }
}

const workflow = defineWorkflow({ name: "w" }, (_event, step) => author(step));

type Harness = ReturnType<typeof createHarness<{ readonly W: typeof workflow }>>;

/** A command for the run while it waits, and the entries before and after it. */
interface Command {
  readonly act: (harness: Harness, id: string) => Promise<unknown>;
  /** The event that it waits for arrives. */
  readonly goes: boolean;
  readonly after: readonly string[];
  /** The entries of its fork. */
  readonly forked?: readonly string[];
}

const BEFORE = ["begun", "one", "two", "three", "tries", "waits"];
const REST = ["more", "last", "cleaned"];

const COMMANDS: Readonly<Record<string, Command>> = {
  "goes on": { act: async () => null, goes: true, after: REST },
  "is restarted": {
    act: async ({ engine }, id) => engine.control("w", id, "restart"),
    goes: true,
    after: [...BEFORE, ...REST],
  },
  "is brought back": {
    act: async ({ engine }, id) => engine.rewind("w", id, "work"),
    goes: true,
    after: ["one", "two", "three", "tries", "waits", ...REST],
  },
  "is forked": {
    act: async ({ engine }, id) => engine.fork("w", id, "progress#2", { id: `${id}-fork` }),
    goes: true,
    after: REST,
    forked: ["waits", ...REST],
  },
  "is cancelled": {
    act: async ({ engine }, id) => engine.control("w", id, "cancel"),
    goes: false,
    after: ["cleaned"],
  },
  "is undone": {
    act: async ({ engine }, id) => engine.control("w", id, "terminate", { rollback: true }),
    goes: false,
    after: ["undone"],
  },
};

const KILLS = ["before", "after"] as const;

/** The process dies before or after a commit is applied; 0: never. */
interface Crash {
  readonly kill: (typeof KILLS)[number];
  readonly at: number;
}

/** A store that never returns from one commit. `died` resolves to true when that has happened, once. */
function createDyingStore(store: Store, { kill, at }: Crash) {
  let count = 0;
  let die: (isDead: true) => void = () => {};
  let died = new Promise<true>((resolve) => (die = resolve));
  const commit: Store["commit"] = async (commits) => {
    count += 1;
    if (count !== at) return store.commit(commits);
    if (kill === "after") await store.commit(commits);
    die(true);
    return new Promise(() => {});
  };
  const heard = async (): Promise<true> => {
    await died;
    died = new Promise(() => {});
    return true;
  };
  return { store: { ...store, commit }, died: heard, commits: () => count };
}

/** What readers keep if they discard an attempt's entries when the next attempt begins. */
function valuesOf(entries: readonly ProgressView[]): readonly string[] {
  const isOfLater = (entry: ProgressView, own: ProgressView): boolean =>
    own.step === entry.step &&
    own.runNumber === entry.runNumber &&
    (own.attempt ?? 0) > (entry.attempt ?? 0);
  return entries
    .filter((entry, index) => !entries.slice(index + 1).some((own) => isOfLater(entry, own)))
    .map(({ value }) => String(value).trim());
}

/** One in so many commits: a server takes time, and the other databases meet all. With `ESCAPEMENT_RUNS`, each. */
const everyOn = (name: string): number =>
  (name === "Postgres" || name === "sqld") && process.env["ESCAPEMENT_RUNS"] === undefined ? 5 : 1;

type OfStore = readonly [string, () => Promise<TimedStore>];
/** One of the databases each day. */
const STORES: readonly OfStore[] = [
  ["memory", openMemoryStore],
  ...ofToday<OfStore>(
    [
      ["libSQL", openSqliteStore],
      ["Postgres", openPostgresStore],
      ...(sqldAvailable() ? [["sqld", openSqldStore] as const] : []),
    ],
    1,
  ),
];

describe.each(STORES)("S6-017 progress of what is killed and steered on %s", (name, open) => {
  let timed: TimedStore;
  let plays = 0;
  beforeAll(async () => {
    timed = await open();
    // Loads the code that a run loads on first use.
    for (const command of Object.values(COMMANDS)) await play(command, { kill: "before", at: 0 });
  });
  afterAll(() => timed.teardown());

  /** Plays the run to its end. @returns how many commits there were */
  async function play({ act, goes, after, forked }: Command, crash: Crash): Promise<number> {
    const dying = createDyingStore(timed.store, crash);
    const harness: Harness = createHarness({
      workflows: { W: workflow },
      store: { ...timed, store: dying.store },
    });
    const run = async (isThere: () => Promise<boolean>): Promise<void> => {
      for (let round = 0; round < 100 && !(await isThere()); round += 1) {
        if (await Promise.race([harness.tick().then(() => false), dying.died()])) harness.restart();
        await harness.clock.advance(STEP_MS);
      }
      expect(await isThere(), `killed ${crash.kill} commit ${crash.at}`).toBe(true);
    };
    plays += 1;
    const id = `x${plays}`;
    const ids = forked === undefined ? [id] : [id, `${id}-fork`];
    await harness.workflows.W.create({ id });
    await run(() => isWaiting(harness, id));
    const before = await readStream(harness.engine, id);
    await act(harness, id);
    if (goes) for (const one of ids) await harness.sendEvent("w", one, { type: "go" });
    for (const one of ids) await run(() => isOver(harness, one));
    const says = `killed ${crash.kill} commit ${crash.at}`;
    const entries = await readStream(harness.engine, id);
    expect(entries.slice(0, before.length), says).toEqual(before);
    expect(valuesOf(before), says).toEqual(BEFORE);
    expect(valuesOf(entries.slice(before.length)), says).toEqual(after);
    expectNumbered(entries, says);
    if (forked === undefined) return dying.commits();
    const ofFork = await readStream(harness.engine, `${id}-fork`);
    expect(valuesOf(ofFork), says).toEqual(forked);
    expectNumbered(ofFork, says);
    return dying.commits();
  }

  it.each(Object.entries(COMMANDS))(
    `S6-017 a run that %s tells each thing once, whichever commit its process dies at${everyOn(name) > 1 ? ", of some" : ""}`,
    { timeout: 120_000 },
    async (_what, command) => {
      const commits = await play(command, { kill: "before", at: 0 });
      expect(commits).toBeGreaterThan(4);
      for (const kill of KILLS)
        for (let at = 1; at <= commits; at += everyOn(name)) await play(command, { kill, at });
    },
  );
});

const isWaiting = async ({ history }: Harness, id: string): Promise<boolean> =>
  (await history("w", id)).steps.some(
    ({ stepKey, status }) => stepKey === "wait" && status === "waiting",
  );

async function isOver({ status }: Harness, id: string): Promise<boolean> {
  return ["complete", "terminated"].includes((await status("w", id)).status);
}

const expectNumbered = (entries: readonly ProgressView[], says: string): void =>
  expect(
    entries.map(({ sequence }) => sequence),
    says,
  ).toEqual(entries.map((_, index) => index + 1));
