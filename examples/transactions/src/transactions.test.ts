/** What becomes of the engine's verbs in the caller's own transactions. */
import { afterEach, describe, expect, it } from "vitest";
import type { Inside } from "./place.ts";
import { CLIENTS, closeScenes, openScene, paid, params, type Scene } from "./scene.ts";

afterEach(closeScenes);

describe.each(CLIENTS)("S5-046 engine.with(tx) of %s", (_name, open, openClient) => {
  const setUp = (): Promise<Scene> => openScene(open, openClient);

  it("a create commits with the order, is seen by nobody before, and runs to its end", async () => {
    const { client, engine, orders, status } = await setUp();
    await client.transaction(async ({ tx, insertOrder }) => {
      await insertOrder("o-1");
      const within = engine.with(tx);
      const created = await within.workflows.ORDER.create({ id: "o-1", params });
      expect((await created.status()).status).toBe("queued");
      await within.workflows.ORDER.createBatch([
        { id: "o-2", params },
        { id: "o-3", params },
      ]);
      expect(await status("o-1"), "outside of the transaction").toBeNull();
    });
    expect(await orders()).toEqual(["o-1"]);
    expect(await Promise.all(["o-1", "o-2", "o-3"].map(status))).toEqual(Array(3).fill("queued"));
    await engine.tick();
    await engine.sendEvent("order", "o-1", paid);
    await engine.tick();
    expect((await engine.getInstance("order", "o-1")).details).toMatchObject({
      status: "complete",
      output: "o-1 paid by card",
    });
  });

  it("a create rolls back with the order", async () => {
    const { rolledBack, engine, orders, status } = await setUp();
    await rolledBack(async ({ tx, insertOrder }) => {
      await insertOrder("o-1");
      await engine.with(tx).workflows.ORDER.create({ id: "o-1", params });
    });
    expect([await orders(), await status("o-1")]).toEqual([[], null]);
    expect(await engine.tick()).toMatchObject({ processed: 0 });
  });

  it("what is refused leaves the transaction as it was: the caller goes on and commits", async () => {
    const { client, engine, orders, status } = await setUp();
    await engine.workflows.ORDER.create({ id: "taken", params });
    await engine.control("order", "taken", "terminate");
    await client.transaction(async ({ tx, insertOrder }) => {
      const { workflows } = engine.with(tx);
      await insertOrder("o-1");
      await expect(workflows.ORDER.create({ id: "taken", params })).rejects.toMatchObject({
        code: "INSTANCE_ID_ALREADY_EXISTS",
      });
      const taken = await workflows.ORDER.get("taken");
      await expect(taken.sendEvent(paid)).rejects.toMatchObject({ code: "INSTANCE_TERMINAL" });
      await expect(workflows.ORDER.get("nobody")).rejects.toMatchObject({
        code: "INSTANCE_NOT_FOUND",
      });
      for (const waits of [
        () => taken.result(),
        () => workflows.ORDER.execute({ id: "never", params }),
        () => engine.with(tx).getInstance("order", "taken", { waitMs: 10 }),
      ])
        await expect(waits()).rejects.toMatchObject({ code: "TRANSACTION_UNUSABLE" });
      await insertOrder("o-2");
      await workflows.ORDER.create({ id: "o-2", params });
    });
    expect(await orders()).toEqual(["o-1", "o-2"]);
    expect(await status("o-2")).toBe("queued");
    expect(await status("never")).toBeNull();
  });

  it("an event and the commands commit with the transaction, and roll back with it", async () => {
    const { client, engine, rolledBack, status } = await setUp();
    const ids = ["o-1", "o-2", "o-3"];
    for (const id of ids) await engine.workflows.ORDER.create({ id, params });
    await engine.tick();
    const change = async ({ tx }: Inside): Promise<void> => {
      const within = engine.with(tx);
      await within.sendEvent("order", "o-1", paid);
      await (await within.workflows.ORDER.get("o-2")).terminate();
      await within.control("order", "o-3", "pause");
    };
    await rolledBack(change);
    await engine.tick();
    expect(await Promise.all(ids.map(status))).toEqual(Array(3).fill("waiting"));
    await client.transaction(change);
    await engine.tick();
    expect(await Promise.all(ids.map(status))).toEqual(["complete", "terminated", "paused"]);
    await client.transaction(async ({ tx }) => {
      const { workflows } = engine.with(tx);
      await (await workflows.ORDER.get("o-2")).restart();
      await (await workflows.ORDER.get("o-3")).resume();
    });
    await engine.tick();
    expect(await Promise.all(ids.map(status))).toEqual(["complete", "waiting", "waiting"]);
  });

  it("verbs that are called at once take turns on the connection", async () => {
    const { client, engine, status } = await setUp();
    const ids = ["o-1", "o-2", "o-3", "o-4"];
    await client.transaction(async ({ tx }) => {
      const creating = [...ids, "o-1"].map((id) =>
        engine.with(tx).workflows.ORDER.create({ id, params }),
      );
      const results = await Promise.allSettled(creating);
      expect(results.map((result) => result.status).toSorted()).toEqual(
        [...ids.map(() => "fulfilled"), "rejected"].toSorted(),
      );
    });
    expect(await Promise.all(ids.map(status))).toEqual(ids.map(() => "queued"));
  });

  it("what begins transactions is refused where a transaction is wanted, and changes nothing", async () => {
    const { client, engine, status } = await setUp();
    const { workflows } = engine.with(client.outside as Inside["tx"]);
    await expect(workflows.ORDER.create({ id: "o-1", params })).rejects.toMatchObject({
      code: "TRANSACTION_UNUSABLE",
    });
    expect(await status("o-1")).toBeNull();
  });

  it("a transaction that has ended is refused", async () => {
    const { client, engine, status } = await setUp();
    let kept: Inside["tx"] | undefined;
    await client.transaction(async ({ tx }) => void (kept = tx));
    if (kept === undefined) throw new Error("no transaction");
    const late = engine.with(kept).workflows.ORDER.create({ id: "late", params });
    await expect(late).rejects.toMatchObject({ code: "TRANSACTION_UNUSABLE" });
    expect(await status("late")).toBeNull();
  });
});
