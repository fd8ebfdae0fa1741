/** Instances over HTTP from their creation to their end, and bytes that arrive as they were sent. */
import { describe, expect, test } from "vitest";
import { PROBE_PATH } from "./app.ts";
import { API, complete, type Scene, TICK, toBytes } from "./scene.ts";

const ORDER = `${API}/contract-order/instances`;
const JSON_HEADERS = { "content-type": "application/json" };

export function describeRequests(scene: () => Scene): void {
  describe("requests", () => {
    test("created over HTTP, an instance retries, sleeps, takes its event and completes", async () => {
      const { create, drive, load, send } = scene();
      const params = { sku: "désk", note: "漢字 👩‍🚀", long: "x".repeat(100_000) };
      await create("contract-order", "o-1", params);
      const loadSteps = async () => (await send({ path: `${ORDER}/o-1/history` })).json();
      const waiting = { steps: [{ attempts: 2 }, {}, { name: "approval", status: "waiting" }] };
      await drive(loadSteps, waiting);
      const body = toBytes(JSON.stringify({ type: "approval", payload: { by: "Noor" } }));
      const path = `${ORDER}/o-1/events`;
      const answer = await send({ method: "POST", path, headers: JSON_HEADERS, body });
      expect(answer.status).toBe(200);
      const output = { charge: { attempt: 2 }, approvedBy: "Noor", params };
      await drive(() => load("contract-order", "o-1"), complete(output));
    });

    test("body, headers, query and cookies survive both ways", async () => {
      const body = Uint8Array.from({ length: 4096 }, (_, index) => index % 256);
      const headers = { "content-type": "application/octet-stream", "x-contract": "a, b;c=1" };
      const search = "?one=1&two=a%20b&two=%C3%A9&empty=";
      const path = `${PROBE_PATH}/echo${search}`;
      const answer = await scene().send({ method: "POST", path, headers, body });
      expect(answer.status).toBe(201);
      expect(JSON.parse(answer.headers.get("x-contract-seen") ?? "")).toMatchObject({
        method: "POST",
        header: "a, b;c=1",
      });
      expect([...new URLSearchParams(seenSearch(answer))]).toEqual([
        ...new URLSearchParams(search),
      ]);
      expect(answer.headers.getSetCookie()).toEqual(["first=1; Path=/", "second=2; Path=/"]);
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(body);
    });

    test("S5-041 aliases of a path reach the same instance and the same guard", async () => {
      const { send } = scene();
      const create = (path: string): Promise<Response> =>
        send({ method: "POST", path, headers: JSON_HEADERS, body: toBytes('{"id":"alias"}') });
      expect((await create(`${API}/contract-%6Frder/instances`)).ok).toBe(true);
      for (const path of [ORDER, `${ORDER}/`, `${API}/%63ontract-order/instances`])
        expect((await create(path)).status, path).toBe(409);
      for (const path of [`${ORDER}/alias`, `${ORDER}/%61lias/`])
        expect((await send({ path })).status, path).toBe(200);
      for (const path of [`${TICK}/`, TICK.replace("/tick", "/%74ick"), TICK.replace("_", "%5F")])
        expect((await send({ method: "POST", path })).status, path).toBe(401);
    });

    test("errors keep their status and code", async () => {
      const { send } = scene();
      const missing = await send({ path: `${API}/nope/instances` });
      expect(missing.status).toBe(404);
      expect(await missing.json()).toMatchObject({ error: { code: "WORKFLOW_NOT_FOUND" } });
      const broken = {
        method: "POST",
        path: ORDER,
        headers: JSON_HEADERS,
        body: toBytes("{"),
      } as const;
      expect((await send(broken)).status).toBe(400);
    });
  });
}

const seenSearch = (answer: Response): string =>
  (JSON.parse(answer.headers.get("x-contract-seen") ?? "{}") as { readonly search: string }).search;
