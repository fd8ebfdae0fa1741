/** The HTTP API's rows, each over a real engine and a real store. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, type Answer, createHttpClient, INSTANCES, startApi } from "./http-client.ts";
import { REAL_STORES, type RealStore } from "./real-stores.ts";

let serial = 0;

describe.each(REAL_STORES)("the HTTP API over $name", ({ open }) => {
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

  it("S0-140 S0-144 create answers the id and details, its params reach the workflow, and GET answers the same and then the output", async () => {
    const created = await api.post(INSTANCES, { id, params: { total: 5 } });
    const queued = { id, details: { status: "queued", runNumber: 1 } };
    expect(created).toEqual({ status: 200, body: queued });
    expect(await api.get(at())).toEqual({ status: 200, body: queued });
    await api.tick();
    expect(api.reserved).toEqual([{ total: 5 }]);
    await approve();
    await api.tick();
    expect(await detailsOf()).toEqual({
      status: "complete",
      runNumber: 1,
      output: { payload: { total: 5 }, approval: { by: "me" } },
    });
  });

  it("S0-140 create without a body makes an id of its own, which leads to the instance", async () => {
    const { status, body } = await api.post(INSTANCES);
    expect(status).toBe(200);
    const created = body as { id: string };
    expect(created.id).toMatch(/^[a-zA-Z0-9_][a-zA-Z0-9-_]*$/);
    expect((await api.get(`${INSTANCES}/${created.id}`)).body).toEqual(body);
    await api.post(`${INSTANCES}/${created.id}/terminate`);
  });

  it("S0-141 an existing id is refused and what it has stays; restart runs it again", async () => {
    await api.post(INSTANCES, { id, params: "first" });
    const refused = await api.post(INSTANCES, { id, params: "second" });
    expect(refused).toMatchObject({ status: 409, body: { code: "INSTANCE_ID_ALREADY_EXISTS" } });
    await api.post(at("/terminate"));
    expect(await api.post(INSTANCES, { id })).toMatchObject({ status: 409 });
    await api.post(at("/restart"));
    await api.tick();
    expect(api.reserved).toEqual(["first"]);
  });

  it("S0-143 a batch skips existing ids, names them, creates the others, and repeated creates nothing", async () => {
    await api.post(INSTANCES, { id, params: "old" });
    const instances = [id, `${id}-b`, `${id}-c`].map((item) => ({ id: item, params: item }));
    const details = { status: "queued", runNumber: 1 };
    expect(await api.post(`${INSTANCES}/batch`, { instances })).toEqual({
      status: 200,
      body: {
        instances: [`${id}-b`, `${id}-c`].map((item) => ({ id: item, details })),
        skipped: [id],
      },
    });
    expect((await api.post(`${INSTANCES}/batch`, { instances })).body).toEqual({
      instances: [],
      skipped: [id, `${id}-b`, `${id}-c`],
    });
    await api.tick();
    expect(new Set(api.reserved)).toEqual(new Set(["old", `${id}-b`, `${id}-c`]));
    expect(api.reserved).toHaveLength(3);
  });

  it("S0-143 a batch takes 100 and refuses 101 whole", async () => {
    const make = (count: number): object[] =>
      Array.from({ length: count }, (_, i) => ({ id: `${id}-${i}` }));
    const refused = await api.post(`${INSTANCES}/batch`, { instances: make(101) });
    expect(refused.body).toMatchObject({ code: "BATCH_TOO_LARGE" });
    expect(await api.get(`${INSTANCES}/${id}-0`)).toMatchObject({ status: 404 });
    const taken = await api.post(`${INSTANCES}/batch`, { instances: make(100) });
    expect((taken.body as { instances: unknown[] }).instances).toHaveLength(100);
    for (const { id: made } of make(100) as { id: string }[]) {
      await api.post(`${INSTANCES}/${made}/terminate`);
    }
  });

  it("S0-144 an unknown id is INSTANCE_NOT_FOUND on every route of an instance", async () => {
    const routes = ["", "/history", "/pause", "/resume", "/terminate", "/restart", "/events"];
    for (const route of routes) {
      const isRead = route === "" || route === "/history";
      const body = route === "/events" ? { type: "approve" } : undefined;
      const answer = await (isRead ? api.get(at(route)) : api.post(at(route), body));
      expect(answer).toMatchObject({ status: 404, body: { code: "INSTANCE_NOT_FOUND" } });
    }
  });

  it("S0-149 an event is stored while queued, waiting and paused, and none is lost", async () => {
    const send = (n: number): Promise<Answer> =>
      api.post(at("/events"), { type: "note", payload: { n } });
    await api.post(INSTANCES, { id });
    const status = (name: string): Answer => ({
      status: 200,
      body: { status: { status: name, runNumber: 1 } },
    });
    expect(await send(1)).toEqual(status("queued"));
    await api.tick();
    expect(await send(2)).toEqual(status("waiting"));
    await api.post(at("/pause"));
    expect(await send(3)).toEqual(status("paused"));
    expect(await api.post(at("/events"), { type: "approve", payload: "ok" })).toEqual(
      status("paused"),
    );
    const { body } = await api.get(at("/history"));
    const { events } = body as { events: { type: string; payload: unknown }[] };
    const notes = events.filter(({ type }) => type === "note").map(({ payload }) => payload);
    expect(notes).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    await api.post(at("/resume"));
    await api.tick();
    expect(await detailsOf()).toMatchObject({ status: "complete", output: { approval: "ok" } });
  });

  it("S0-155 create, manage, events, read and tick have policies of their own: each refuses its routes alone, before anything is written", async () => {
    await api.post(INSTANCES, { id });
    const calls: Readonly<Record<string, (client: Api) => Promise<Answer>>> = {
      create: (client) => client.post(INSTANCES, { id: `${id}-new` }),
      manage: (client) => client.post(at("/pause")),
      events: (client) => client.post(at("/events"), { type: "note" }),
      read: (client) => client.get(at()),
      tick: (client) => client.tick(),
    };
    for (const policy of Object.keys(calls)) {
      const policies = { [policy]: () => Response.json({ code: "MINE" }, { status: 403 }) };
      const guarded = startApi(real.store, { http: { policies } });
      for (const [name, call] of Object.entries(calls)) {
        if (name !== policy && name !== "read") continue;
        const answer = await call(guarded);
        expect([policy, name, answer.status]).toEqual([policy, name, name === policy ? 403 : 200]);
      }
      expect(guarded.reserved).toEqual([]);
    }
    expect(await detailsOf()).toEqual({ status: "queued", runNumber: 1 });
    expect((await api.get(at("/history"))).body).toMatchObject({ events: [] });
    expect(await api.get(`${INSTANCES}/${id}-new`)).toMatchObject({ status: 404 });
    await api.post(at("/terminate"));
  });

  it("S0-169 history says what a waiting instance waits for, until when, and what went wrong", async () => {
    await api.post(INSTANCES, { id });
    await api.tick();
    const { body } = await api.get(at("/history"));
    expect(body).toMatchObject({
      steps: [
        { name: "reserve", type: "do", status: "completed", attempts: 1 },
        {
          name: "approval",
          type: "waitForEvent",
          status: "waiting",
          waitEventType: "approve",
          wakeAt: expect.any(Number),
        },
      ],
    });
    const failing = startApi(real.store, { hold: () => Promise.reject(new TypeError("no stock")) });
    const other = `${INSTANCES}/${id}-failing`;
    await failing.post(INSTANCES, { id: `${id}-failing` });
    await failing.tick();
    expect((await failing.get(`${other}/history`)).body).toMatchObject({
      steps: [
        {
          name: "reserve",
          status: "waiting",
          attempts: 1,
          error: { name: "TypeError", message: "no stock" },
          nextRetryAt: expect.any(Number),
        },
      ],
    });
    expect((await failing.get(other)).body).toMatchObject({ details: { status: "waiting" } });
    for (const path of [at(), other]) await api.post(`${path}/terminate`);
  });

  it("S0-137 mountRoute moves the API", async () => {
    const moved = startApi(real.store, { http: { mountRoute: "/internal/flows" } });
    const client = createHttpClient(moved.engine.fetch, "/internal/flows");
    expect(await client.post(INSTANCES, { id })).toMatchObject({ status: 200 });
    expect(await moved.get("/workflows")).toMatchObject({ status: 404 });
    await client.post(at("/terminate"));
  });
});
