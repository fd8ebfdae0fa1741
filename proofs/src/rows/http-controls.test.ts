/** The HTTP API's rows about pause, resume, terminate and restart, each over a real engine and a real store. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, type Answer, INSTANCES, startApi } from "./http-client.ts";
import { REAL_STORES, type RealStore } from "./real-stores.ts";

let serial = 0;

describe.each(REAL_STORES)("controls over HTTP and $name", ({ open }) => {
  let real: RealStore;
  let api: Api;
  /** A new id for each test: they share the store. */
  let id: string;
  const at = (rest = ""): string => `${INSTANCES}/${id}${rest}`;
  const detailsOf = async (): Promise<unknown> => {
    const { body } = await api.get(at());
    return (body as { details: unknown }).details;
  };
  const approve = (): Promise<Answer> =>
    api.post(at("/events"), { type: "approve", payload: { by: "me" } });

  beforeAll(async () => {
    real = await open();
  });
  afterAll(() => real.close());
  beforeEach(() => {
    api = startApi(real.store);
    serial += 1;
    id = `order-${serial}`;
  });

  it("S0-145 S0-146 a paused instance does not run, whatever comes due; resumed it goes on where it was", async () => {
    await api.post(INSTANCES, { id, params: "p" });
    const to = (status: string): Answer => ({
      status: 200,
      body: { ok: true, details: { status, runNumber: 1 } },
    });
    expect(await api.post(at("/pause"))).toEqual(to("paused"));
    await api.tick();
    expect(api.reserved).toEqual([]);
    expect(await api.post(at("/resume"))).toEqual(to("queued"));
    await api.tick();
    expect(await api.post(at("/pause"))).toEqual(to("paused"));
    await approve();
    await api.tick();
    expect([api.reserved, api.shipped]).toEqual([["p"], []]);
    await api.post(at("/resume"));
    await api.tick();
    expect([api.reserved, api.shipped]).toEqual([["p"], ["p"]]);
  });

  it("S0-145 a pause while a body runs takes effect at its end", async () => {
    const gates: (() => void)[] = [];
    const held = startApi(real.store, {
      hold: () => new Promise((resolve) => gates.push(() => resolve())),
    });
    await held.post(INSTANCES, { id });
    const ticking = held.tick();
    await expect.poll(() => gates.length).toBe(1);
    const answer = await held.post(at("/pause"));
    expect(answer.body).toMatchObject({ details: { status: "waitingForPause" } });
    await approve();
    gates[0]?.();
    await ticking;
    expect(await detailsOf()).toMatchObject({ status: "paused" });
    expect(held.shipped).toEqual([]);
    await held.post(at("/resume"));
    await held.tick();
    expect(await detailsOf()).toMatchObject({ status: "complete" });
    expect(held.reserved).toHaveLength(1);
  });

  it("S0-122 S0-147 S4-009 terminate ends an instance that is queued, waiting or paused", async () => {
    const ids = ["queued", "waiting", "paused"].map((status) => `${id}-${status}`);
    const [queued, waiting, paused] = ids.map((one) => `${INSTANCES}/${one}`);
    for (const one of ids.slice(1)) await api.post(INSTANCES, { id: one });
    await api.tick();
    await api.post(`${paused}/pause`);
    await api.post(INSTANCES, { id: ids[0] });
    for (const [path, before] of [
      [queued, "queued"],
      [waiting, "waiting"],
      [paused, "paused"],
    ] as const) {
      expect((await api.get(`${path}`)).body).toMatchObject({ details: { status: before } });
      const { body } = await api.post(`${path}/terminate`);
      expect(body).toEqual({ ok: true, details: { status: "terminated", runNumber: 1 } });
    }
    await api.tick();
    expect(api.reserved).toHaveLength(2);
  });

  it("S0-119 S0-147 a terminated instance makes no further progress and takes no further command but restart", async () => {
    await api.post(INSTANCES, { id, params: "t" });
    await api.tick();
    const ended = { ok: true, details: { status: "terminated", runNumber: 1 } };
    expect(await api.post(at("/terminate"))).toEqual({ status: 200, body: ended });
    for (const command of ["pause", "terminate"]) {
      const refused = await api.post(at(`/${command}`));
      expect(refused).toMatchObject({ status: 409, body: { code: "INSTANCE_TERMINAL" } });
    }
    expect(await approve()).toMatchObject({ status: 409, body: { code: "INSTANCE_TERMINAL" } });
    await api.tick();
    expect(api.shipped).toEqual([]);
  });

  it("S0-148 S0-071 restart runs everything again under the next run number and keeps the run before", async () => {
    await api.post(INSTANCES, { id, params: "r" });
    await api.tick();
    await approve();
    await api.tick();
    const again = { ok: true, details: { status: "queued", runNumber: 2 } };
    expect(await api.post(at("/restart"))).toEqual({ status: 200, body: again });
    await api.tick();
    // The event of the run before belongs to it.
    expect(await detailsOf()).toEqual({ status: "waiting", runNumber: 2 });
    await approve();
    await api.tick();
    expect([api.reserved, api.shipped]).toEqual([
      ["r", "r"],
      ["r", "r"],
    ]);
    expect(await detailsOf()).toMatchObject({ status: "complete", runNumber: 2 });
    for (const runNumber of [1, 2]) {
      const { body } = await api.get(at(`/history?runNumber=${runNumber}`));
      expect(body).toMatchObject({
        runNumber,
        steps: [{ name: "reserve" }, { name: "approval" }, { name: "ship" }],
        events: [{ type: "approve", consumedByStepKey: "approval" }],
      });
    }
  });
});
