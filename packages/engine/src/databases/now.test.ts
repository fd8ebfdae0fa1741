/** `step.now` stays the same, whatever happens to the process and its commits. */
import { ofToday } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defineWorkflow, Loop, type WorkflowStep } from "../index.ts";
import { createFaultStore, type Fault } from "../testing/fault-store.ts";
import { createHarness } from "../testing/harness.ts";
import {
  openMemoryStore,
  openPostgresStore,
  openSqliteStore,
  type TimedStore,
} from "./testing-stores.ts";

/** In memory, and on one of the databases each day. */
const STORES: readonly (readonly [string, () => Promise<TimedStore>])[] = [
  ["memory", openMemoryStore],
  ...ofToday([["SQLite", openSqliteStore] as const, ["Postgres", openPostgresStore] as const], 1),
];

// Loaded in advance, so that loading takes no turns.
beforeAll(() => import("../run/scopes/run-scope.ts"));

/** What author code saw: the step whose outcome it had just got, or a word, and the time. */
type Seen = readonly [what: string, at: number];

/** Every kind of scope, with a loop that removes its rows beside another branch; `see` records the time, `work` takes some. */
async function play(
  step: WorkflowStep,
  see: (own: WorkflowStep, what: string) => void,
  work: () => Promise<unknown>,
): Promise<void> {
  see(step, "begin");
  await step.do("a", work);
  see(step, "a");
  await step.join("j", {
    left: async (own) => {
      see(own, "begin left");
      for (const key of ["j/left/x", "j/left/x#2", "j/left/x#3"]) {
        await own.do("x", work);
        see(own, key);
        await own.sleep("z", "25 minutes");
        see(own, key.replace("/x", "/z"));
      }
    },
    right: async (own) => {
      await own.loop("l", {
        state: 0,
        commitEvery: 2,
        keep: 0,
        run: async (inner, state, iteration) => {
          see(inner, `begin ${iteration}`);
          await inner.do("x", work);
          see(inner, `j/right/l/~${iteration}/x`);
          await inner.sleep("z", "10 minutes");
          see(inner, `j/right/l/~${iteration}/z`);
          return state < 5 ? Loop.continue(state + 1) : Loop.break();
        },
      });
      see(own, "j/right/l");
    },
  });
  see(step, "j");
  await step.race("r", {
    fast: (own) => own.do("x", work),
    slow: (own) => own.waitForEvent("w", { type: "never" }),
  });
  see(step, "r");
  await step.try("t", async (own) => {
    await own.do("x", work);
    see(own, "t/x");
    await own.map("m", [1, 2], (inner) => inner.do("x", work));
    see(own, "t/m");
  });
  step.version("v", 2);
  for (const key of ["z", "z#2"]) {
    await step.sleep("z", "1 hour");
    see(step, key);
  }
}

interface Played {
  readonly commits: number;
  /** For each call of the author's function, without what may have been lost in a crash. */
  readonly executions: readonly (readonly Seen[])[];
  /** Instants of the remaining rows. */
  readonly rows: ReadonlyMap<string, number>;
}

let plays = 0;

/** Plays a run whose n-th commit fails, by a crash of its process or a lost answer. */
async function playWithFault(
  timed: TimedStore,
  harmAt: number,
  harm: "crash before" | "crash after" | "answer lost",
): Promise<Played> {
  const executions: Seen[][] = [];
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    const seen: Seen[] = [];
    executions.push(seen);
    const see = (own: WorkflowStep, what: string): void =>
      void seen.push([what, own.now().getTime()]);
    await play(step, see, () => harness.clock.advance(7));
  });
  let commits = 0;
  let crash = (): void => {};
  const crashed = new Promise<void>((resolve) => (crash = resolve));
  const toFault = (): Fault => {
    if (harm === "answer lost") return "after";
    harness.restart();
    crash();
    return harm === "crash after" ? "none" : "before";
  };
  const store = createFaultStore(timed.store, ({ verb }) =>
    verb === "commit" && (commits += 1) === harmAt ? toFault() : "none",
  );
  const harness = createHarness({ workflows: { W }, store: { store, clock: timed.clock } });
  plays += 1;
  const id = `x${plays}`;
  await harness.workflows.W.create({ id });
  const keysAndTimes = async (): Promise<Map<string, number>> => {
    const { steps } = await harness.history("w", id);
    return new Map(
      steps
        .filter(({ status }) => status !== "waiting" && status !== "running")
        .map(({ stepKey, updatedAt }) => [stepKey, updatedAt]),
    );
  };
  const running = harness.runThroughTime();
  if (harmAt === 0) await running;
  else if (harm === "answer lost") await advanceUntil(running, harness.clock);
  else {
    await Promise.race([running, crashed]);
    await harness.clock.advance(0);
    const known = await keysAndTimes();
    executions.push(...executions.splice(-1).map((seen) => seen.filter(isKnownBy(known))));
    await harness.clock.advance(60_000);
    await harness.runThroughTime();
  }
  expect(await harness.status("w", id)).toMatchObject({ status: "complete" });
  return { commits, executions, rows: await keysAndTimes() };
}

/** A commit is repeated after a while. */
async function advanceUntil(
  running: Promise<void>,
  clock: { advance(ms: number): Promise<void> },
): Promise<void> {
  const ended = running.then(() => true);
  const turn = (): Promise<false> => new Promise((resolve) => setImmediate(resolve, false));
  while (!(await Promise.race([ended, turn()]))) await clock.advance(1);
}

/** Whether what was seen has a row, or came before everything without one. */
function isKnownBy(rows: ReadonlyMap<string, number>): (seen: Seen) => boolean {
  let isSure = true;
  return ([what]) => {
    if (what.startsWith("begin")) return isSure;
    isSure &&= rows.has(what);
    return rows.has(what);
  };
}

/** One in so many commits fails: a server takes time, and the other databases meet all. With `ESCAPEMENT_RUNS`, all commits fail. */
const everyOn = (name: string): number =>
  name === "Postgres" && process.env["ESCAPEMENT_RUNS"] === undefined ? 3 : 1;

describe.each(STORES)("S6-018 step.now on %s", (name, open) => {
  let timed: TimedStore;
  beforeAll(async () => {
    timed = await open();
  });
  afterAll(() => timed.teardown());

  it.each(["crash before", "crash after", "answer lost"] as const)(
    `S6-018 is the same on every replay, and what the rows say: %s ${name === "Postgres" ? "some commits" : "each commit"}`,
    { timeout: 120_000 },
    async (harm) => {
      const { commits } = await playWithFault(timed, 0, "crash before");
      expect(commits).toBeGreaterThan(10);
      let compared = 0;
      for (let harmAt = 1; harmAt <= commits; harmAt += everyOn(name)) {
        const { executions, rows } = await playWithFault(timed, harmAt, harm);
        const first = new Map<string, number>();
        for (const seen of executions)
          for (const [what, at] of seen) {
            if (first.has(what)) compared += 1;
            else first.set(what, at);
            expect([what, at]).toEqual([what, rows.get(what) ?? first.get(what)]);
          }
      }
      expect(compared).toBeGreaterThan((commits / everyOn(name)) * 20);
    },
  );

  it("S6-018 never goes back while a run goes on, and is that of the database", async () => {
    const { executions } = await playWithFault(timed, 0, "crash before");
    const whole = new Map<string, number>();
    for (const [what, at] of executions.flat()) if (!whole.has(what)) whole.set(what, at);
    const times = [...whole.values()];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(
      3 * 25 * 60_000 + 7_200_000,
    );
    expect(await timed.clock.now()).toBe(times.at(-1));
  });
});
