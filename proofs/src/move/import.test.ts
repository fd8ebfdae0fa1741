/** What an import promises, on every kind of store: it comes whole, once, and seen by nobody before. */
import type { Engine } from "@escapement/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePaused, openHarness, type Played } from "./move.ts";
import { begin } from "./programs.ts";
import { openMemory, STORES, type Timed } from "./stores.ts";

let count = 0;
const newId = (): string => `m-${(count += 1)}`;

const refusal = (code: string) => expect.objectContaining({ code });
const statusOf = async (engine: Engine, name: string, id: string): Promise<string> =>
  (await engine.getInstance(name, id)).details.status;
describe.each(Object.entries(STORES))("%s", (_name, openStore) => {
  let timed: Timed;
  let harness: Played;
  let engine: Engine;
  beforeAll(async () => {
    timed = await openStore();
    harness = openHarness(timed);
    engine = harness.engine;
  });
  afterAll(async () => {
    begin();
    await timed.close();
  });

  test("S8-006 an export comes once: again, it is told that the id is taken, and what is there stays as it is", async () => {
    const id = newId();
    const lines = await makePaused(openHarness(await openMemory()), id);
    await engine.import(lines);
    await engine.control("events", id, "resume");
    const before = await engine.listHistory("events", id, {});
    await expect(engine.import(lines)).rejects.toMatchObject({
      code: "INSTANCE_ID_ALREADY_EXISTS",
      details: { instanceId: id },
    });
    expect(await engine.listHistory("events", id, {})).toEqual(before);
    expect(await statusOf(engine, "events", id)).toBe("queued");
    await engine.control("events", id, "terminate");
    await engine.deleteInstance("events", id);
    expect(await engine.import(lines)).toHaveLength(1);
  });

  test("S8-006 a file that was cut anywhere is refused and leaves nothing; whole, it comes then", async () => {
    const id = newId();
    const lines = await makePaused(openHarness(await openMemory()), id);
    for (let kept = 0; kept < lines.length; kept += 1) {
      await expect(engine.import(lines.slice(0, kept))).rejects.toEqual(refusal("IMPORT_INVALID"));
      await expect(engine.getInstance("events", id)).rejects.toEqual(refusal("INSTANCE_NOT_FOUND"));
    }
    const bytes = new TextEncoder().encode(lines.join(""));
    await expect(engine.import([bytes.slice(0, -20)])).rejects.toEqual(refusal("IMPORT_INVALID"));
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
      bytes.slice(index * 7, index * 7 + 7),
    );
    expect(await engine.import(pieces)).toHaveLength(1);
  });

  test("S8-006 an import that dies at any of its calls, done or not, leaves nothing that is seen, and is repeated", async () => {
    for (let at = 1; at <= 8; at += 1) {
      for (const isDone of [false, true]) {
        const id = newId();
        const lines = await makePaused(openHarness(await openMemory()), id);
        const dying = openHarness(timed, (store) => dieAt(store, at, isDone));
        const first = await dying.engine.import(lines).then(
          () => "imported",
          (error: { code?: string }) => error.code,
        );
        const seen = await statusOf(engine, "events", id).catch(() => "none");
        expect(["none", "paused"]).toContain(seen);
        if (first === "imported") expect(seen).toBe("paused");
        if (seen === "none") expect(await engine.import(lines)).toHaveLength(1);
        expect(await engine.listHistory("events", id, {})).toMatchObject({ events: [{}, {}, {}] });
        await expect(engine.import(lines)).rejects.toEqual(refusal("INSTANCE_ID_ALREADY_EXISTS"));
      }
    }
  });

  test("S8-006 while it is imported nobody sees it, and who takes its id meanwhile keeps it", async () => {
    const id = newId();
    const lines = await makePaused(openHarness(await openMemory()), id);
    const before = await engine.countInstances();
    const meanwhile = async function* (): AsyncGenerator<string> {
      yield* lines.slice(0, -1);
      // More than a chunk, so that something is staged.
      expect(await engine.countInstances()).toEqual(before);
      await expect(engine.getInstance("events", id)).rejects.toEqual(refusal("INSTANCE_NOT_FOUND"));
      await engine.createInstance("events", { id });
      await harness.runUntilIdle();
      yield lines.at(-1) ?? "";
    };
    await expect(engine.import(meanwhile())).rejects.toEqual(refusal("INSTANCE_ID_ALREADY_EXISTS"));
    const { steps, events } = await engine.listHistory("events", id, {});
    expect([steps.length, events.length]).toEqual([1, 0]);
  });

  test("S8-006 two imports of one file at once: one of them comes, and it is whole", async () => {
    const id = newId();
    const lines = await makePaused(openHarness(await openMemory()), id);
    const both = await Promise.allSettled([engine.import(lines), engine.import(lines)]);
    const done = both.filter(({ status }) => status === "fulfilled").length;
    expect(done).toBeLessThanOrEqual(1);
    if (done === 0) await engine.import(lines);
    expect(await engine.listHistory("events", id, {})).toMatchObject({ events: [{}, {}, {}] });
  });

  test("S8-006 several exports in one file come one after the other, and a workflow that the engine does not have is refused", async () => {
    const source = openHarness(await openMemory());
    const ids = [newId(), newId()];
    const lines = [];
    for (const id of ids) lines.push(...(await makePaused(source, id)));
    expect((await engine.import(lines)).map(({ id }) => id)).toEqual(ids);
    const [header = "", ...rest] = await makePaused(source, newId());
    const foreign = [header.replaceAll(`"events"`, `"unknown"`), ...rest];
    await expect(engine.import(foreign)).rejects.toEqual(refusal("WORKFLOW_NOT_FOUND"));
    const mixed = [...(await makePaused(source, newId())), ...lines];
    await expect(engine.import(mixed)).rejects.toMatchObject({
      code: "INSTANCE_ID_ALREADY_EXISTS",
      message: expect.stringMatching(/imported: 1$/),
      details: { instanceId: ids[0], importedCount: 1 },
    });
  });
});

type Store = Timed["store"];

/** A process that dies at a call of an import: no later one arrives. @param isDone that call did */
const dieAt = (store: Store, at: number, isDone: boolean): Store => {
  let calls = 0;
  const dying =
    (call: (...given: never[]) => Promise<unknown>) =>
    async (...given: never[]) => {
      calls += 1;
      if (calls === at && isDone) await call(...given);
      if (calls >= at) throw new TypeError("the process is dead");
      return call(...given);
    };
  return {
    ...store,
    moving: async () => {
      const moving = await store.moving();
      return Object.fromEntries(
        Object.entries(moving).map(([name, call]) => [name, dying(call as never)]),
      ) as never;
    },
  };
};
