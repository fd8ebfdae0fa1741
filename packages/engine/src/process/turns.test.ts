/** Turns: after all microtasks, and each on its own. */
import { describe, expect, it } from "vitest";
import { createTurns } from "./turns.ts";

const deepWork = async (depth: number): Promise<void> => {
  for (let left = depth; left > 0; left -= 1) await Promise.resolve();
};

describe.each([
  ["of this runtime", createTurns()],
  ["of a runtime without ticks", createTurns({ tick: null })],
])("turns %s", (_name, afterTurn) => {
  it("call back once microtasks of any depth have run, however many turns are asked for", async () => {
    const seen: string[] = [];
    for (let turn = 0; turn < 100; turn += 1) {
      void deepWork(50).then(() => seen.push(`deep ${turn}`));
      await new Promise<void>((resolve) => afterTurn(resolve));
      seen.push(`turn ${turn}`);
    }
    expect(seen).toEqual(
      Array.from({ length: 100 }, (_, turn) => [`deep ${turn}`, `turn ${turn}`]).flat(),
    );
  });
});

it("those who wait for one turn are all called before what any of them goes on to do", async () => {
  const seen: string[] = [];
  const afterTurn = createTurns();
  for (const name of ["a", "b", "c"])
    afterTurn(() => {
      seen.push(name);
      queueMicrotask(() => seen.push(`then ${name}`));
    });
  await new Promise(setImmediate);
  expect(seen).toEqual(["a", "b", "c", "then a", "then b", "then c"]);
});

it("each is called once, also those who ask for a turn during one", async () => {
  const seen: string[] = [];
  const afterTurn = createTurns();
  afterTurn(() => {
    for (const name of ["a", "b", "c"]) afterTurn(() => seen.push(name));
  });
  await new Promise(setImmediate);
  expect(seen).toEqual(["a", "b", "c"]);
});

it("turns that follow one another take no round of the event loop", async () => {
  const afterTurn = createTurns({ elapsedMs: () => 0 });
  const turn = (): Promise<void> => new Promise((resolve) => afterTurn(resolve));
  // The first one begins a round.
  await turn();
  let rounds = 0;
  const counting = setInterval(() => (rounds += 1), 0);
  for (let left = 5000; left > 0; left -= 1) await turn();
  clearInterval(counting);
  expect(rounds).toBe(0);
});

it("what ends in one round of the event loop is served together", async () => {
  const afterTurn = createTurns();
  const seen: string[] = [];
  const end = (name: string): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(() => {
        seen.push(`${name} ends`);
        afterTurn(() => {
          seen.push(`${name} is told`);
          resolve();
        });
      });
    });
  await Promise.all([end("a"), end("b")]);
  expect(seen).toEqual(["a ends", "b ends", "a is told", "b is told"]);
});

it("what one callback throws is reported and stops no other", async () => {
  const afterTurn = createTurns();
  const called: string[] = [];
  const reported = new Promise((resolve) => process.once("uncaughtException", resolve));
  afterTurn(() => {
    throw new Error("a bug");
  });
  afterTurn(() => called.push("the next one"));
  expect(await reported).toEqual(new Error("a bug"));
  expect(called).toEqual(["the next one"]);
});

/** Turns of which each takes as long as it is told, by a clock that counts the looks at it. `rounds`: when each began. */
function createClocked() {
  const seen = { nowMs: 0, looks: 0, rounds: [] as number[] };
  const afterTurn = createTurns({
    later: (callback) => {
      seen.rounds.push(seen.nowMs);
      setImmediate(callback);
    },
    elapsedMs: () => {
      seen.looks += 1;
      return seen.nowMs;
    },
  });
  const turn = (ms: number): Promise<void> =>
    new Promise((resolve) =>
      afterTurn(() => {
        seen.nowMs += ms;
        resolve();
      }),
    );
  const turns = async (count: number, ms: number): Promise<void> => {
    for (let left = count; left > 0; left -= 1) await turn(ms);
  };
  return { seen, turns };
}

it("a long replay lets others have the event loop every few milliseconds", async () => {
  const { seen, turns } = createClocked();
  await turns(30, 4);
  expect(seen.rounds).toEqual([0, 24, 48, 72, 96, 120]);
});

it("short turns seldom look at the time, and a round lasts a few turns too long if they become slow", async () => {
  const { seen, turns } = createClocked();
  await turns(1600, 0.01);
  expect(seen.looks).toBeLessThan(110);
  await turns(40, 3);
  const { rounds } = seen;
  const lengths = rounds.slice(1).map((endedMs, index) => endedMs - (rounds[index] ?? 0));
  expect(lengths.length).toBeGreaterThan(3);
  expect(Math.max(...lengths)).toBeLessThan(20 + 16 * 3);
});
