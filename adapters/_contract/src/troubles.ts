/** Faults of platforms that deliver wakes: processes die at work, and deliveries come late, often and in any order. */
import { describe, expect, test } from "vitest";
import type { Death } from "./deaths.ts";
import { complete, NOT_OFFERED, reasonOf, type Scene } from "./scene.ts";
import type { AdapterCapabilities, AdapterWake } from "./subject.ts";

const ONCE = { first: 1, second: 1, third: 1 };
const POLL = { interval: 50, timeout: 60_000 };
const BACKLOG = 40;
/** A wake that is delivered again asks for another one. Without a bound, each round would have twice as many as the one before. */
const MOST_DELIVERED = 16;

/** What a process was doing, with which database call it dies, how often bodies run, and how the run gets there. */
const DEATHS: readonly (readonly [
  string,
  Death,
  Readonly<Record<string, number>>,
  "create" | "createKeyed",
])[] = [
  ["in a step", "diesInStep", { ...ONCE, first: 2 }, "createKeyed"],
  ["in a step of what it created", "diesInStep", { ...ONCE, first: 2 }, "create"],
  ["in a claim", "diesInClaim", ONCE, "createKeyed"],
  ["before the answer to its commit", "diesInCommit", ONCE, "createKeyed"],
];

export function describeTroubles(scene: () => Scene, capabilities: AdapterCapabilities): void {
  const { faults = NOT_OFFERED, exactWakes, comesBack, sideBySide = true } = capabilities;
  describe.skipIf(faults !== true)(`deaths${reasonOf(faults)}`, () => {
    describeDeaths(scene, typeof exactWakes === "string" && comesBack !== true, sideBySide);
  });
  describeDeliveries(scene);
}

/** @param hasOnlyNet wakes are not exact to the second, so only the safety net comes back */
function describeDeaths(scene: () => Scene, hasOnlyNet: boolean, sideBySide: true | string): void {
  /** The wakes that were asked for last: one invocation may rely on what another has asked for. */
  const asked: AdapterWake[] = [];
  const ask = (): AdapterWake[] => {
    asked.push(...scene().takeWakes());
    asked.splice(0, asked.length - MOST_DELIVERED);
    if (asked.length > 0 || !hasOnlyNet) return asked;
    return [{ at: null, deliver: () => scene().fixture.safetyTick() }];
  };
  const deliverAll = async (): Promise<void> => {
    for (const wake of ask()) await wake.deliver().catch(() => undefined);
  };
  /** Delivers again what was asked for, as platforms do after a failure. */
  const deliverUntilDone = (id: string): Promise<void> => {
    const deliverAndLook = async (): Promise<unknown> => {
      await deliverAll();
      return scene().load("contract-steps", id);
    };
    return expect.poll(deliverAndLook, POLL).toMatchObject(complete("done"));
  };

  test.each(DEATHS)(
    "S9-012 a process that is killed %s is missed: what was asked for before brings the run on, and no completed step runs again",
    async (_name, death, bodies, create) => {
      const { bodiesOf, load, setDatabase, [create]: createBy } = scene();
      const id = `${death}-${create}`;
      await setDatabase(death);
      await createBy("contract-steps", id);
      await deliverAll();
      expect(await load("contract-steps", id)).not.toMatchObject(complete("done"));
      await setDatabase("up");
      await deliverUntilDone(id);
      expect(await bodiesOf(id)).toEqual(bodies);
    },
  );

  const cutOff =
    "S9-015 a process that is cut off until others have its run writes nothing when it is heard again";
  test.skipIf(sideBySide !== true)(`${cutOff}${reasonOf(sideBySide)}`, async () => {
    const { bodiesOf, createKeyed, load, setDatabase } = scene();
    await setDatabase("diesForAWhile");
    // Some fixtures' invocations end with their work. Refusals while the database is down are checked below.
    const invocations: Promise<unknown>[] = [createKeyed("contract-steps", "cut-off")];
    const look = async (): Promise<unknown> => {
      for (const wake of ask()) invocations.push(Promise.allSettled([wake.deliver()]));
      return load("contract-steps", "cut-off");
    };
    await expect.poll(look, { interval: 300, timeout: 60_000 }).toMatchObject(complete("done"));
    await setDatabase("up");
    await Promise.all(invocations);
    expect(await bodiesOf("cut-off")).toEqual({ ...ONCE, first: 2 });
    expect(await load("contract-steps", "cut-off")).toMatchObject(complete("done"));
  });

  test("S9-012 a claim that fails is made again by the delivery that it failed", async () => {
    const { bodiesOf, create, setDatabase } = scene();
    await create("contract-steps", "unclaimed");
    ask();
    await setDatabase("down");
    for (const wake of asked) await wake.deliver().catch(() => undefined);
    await setDatabase("up");
    await deliverUntilDone("unclaimed");
    expect(await bodiesOf("unclaimed")).toEqual(ONCE);
  });
}

function describeDeliveries(scene: () => Scene): void {
  test("S9-015 deliveries ten times over and shuffled run every body once", async () => {
    const { bodiesOf, create, load, takeWakes } = scene();
    takeWakes();
    const ids = ["tenfold-a", "tenfold-b", "tenfold-c"];
    for (const id of ids) await create("contract-steps", id);
    const deliverAndLook = async (): Promise<unknown> => {
      const copies = takeWakes().flatMap((wake) => Array.from({ length: 10 }, () => wake));
      await Promise.all(shuffle(copies).map((wake) => wake.deliver()));
      return Promise.all(ids.map((id) => load("contract-steps", id)));
    };
    const done = ids.map(() => complete("done"));
    await expect.poll(deliverAndLook, POLL).toMatchObject(done);
    for (const id of ids) expect(await bodiesOf(id)).toEqual(ONCE);
  });

  test("S9-015 a backlog is worked off by as many invocations as it takes, every body once", async () => {
    const { bodiesOf, create, drive, load, takeWakes } = scene();
    takeWakes();
    const ids = Array.from({ length: BACKLOG }, (_, index) => `backlog-${index}`);
    for (const id of ids) await create("contract-steps", id);
    const loadAll = (): Promise<unknown> =>
      Promise.all(ids.map((id) => load("contract-steps", id)));
    await drive(
      loadAll,
      ids.map(() => complete("done")),
    );
    for (const id of ids) expect(await bodiesOf(id)).toEqual(ONCE);
  });
}

/** The same order in every run. */
function shuffle<T>(items: readonly T[]): T[] {
  const shuffled = [...items];
  let seed = 715_840;
  for (let index = shuffled.length - 1; index > 0; index -= 1) {
    seed = (seed * 48_271) % 2_147_483_647;
    const other = seed % (index + 1);
    [shuffled[index], shuffled[other]] = [shuffled[other] as T, shuffled[index] as T];
  }
  return shuffled;
}
