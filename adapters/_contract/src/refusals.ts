/** Requests and events that the application cannot take: refused by code, logged if nobody reads the answer, and nothing is lost. */
import { expect, test } from "vitest";
import { API, complete, type Scene, toBytes } from "./scene.ts";

const JSON_HEADERS = { "content-type": "application/json" };
/** S0-162: one MiB of payload. */
const TOO_LARGE = "x".repeat(1_048_576);

export function describeRefusals(scene: () => Scene): void {
  test("S5-039 a stranger is refused before a byte of the body is read, by the URL that was called", async () => {
    const { send } = scene();
    const path = `${API}/contract-order/instances?one=a%20b&two=1`;
    const headers = { ...JSON_HEADERS, "x-contract-stranger": "yes" };
    const answer = await send({ method: "POST", path, headers, body: toBytes("{}") });
    expect(answer.status).toBe(401);
    const seen = JSON.parse(answer.headers.get("x-contract-seen") ?? "") as Record<string, string>;
    const { pathname, searchParams } = new URL(seen["url"] ?? "");
    expect(pathname).toBe(`${API}/contract-order/instances`);
    expect([...searchParams]).toEqual([
      ["one", "a b"],
      ["two", "1"],
    ]);
    expect(seen["isBodyRead"]).toBe(false);
  });

  test("S0-162 an event that is too large is refused by code, and the instance goes on waiting for one that fits", async () => {
    const { create, drive, load, send } = scene();
    await create("contract-order", "oversize", {});
    const order = `${API}/contract-order/instances/oversize`;
    const loadSteps = async () => (await send({ path: `${order}/history` })).json();
    await drive(loadSteps, { steps: [{}, {}, { name: "approval", status: "waiting" }] });
    const sendApproval = (by: string): Promise<Response> => {
      const body = toBytes(JSON.stringify({ type: "approval", payload: { by } }));
      return send({ method: "POST", path: `${order}/events`, headers: JSON_HEADERS, body });
    };
    const refusal = await sendApproval(TOO_LARGE);
    expect(refusal.status).toBe(413);
    expect(await refusal.json()).toMatchObject({ error: { code: "PAYLOAD_TOO_LARGE" } });
    expect((await sendApproval("Noor")).status).toBe(200);
    const output = { charge: { attempt: 2 }, approvedBy: "Noor", params: {} };
    await drive(() => load("contract-order", "oversize"), complete(output));
  });

  test("a path that no route has and a method that it does not take are refused by code", async () => {
    const { send } = scene();
    const lost = await send({ path: `${API}/contract-order/nowhere` });
    expect(lost.status).toBe(404);
    expect(await lost.json()).toMatchObject({ error: { code: "ROUTE_NOT_FOUND" } });
    const path = `${API}/contract-order/instances/any/history`;
    const wrong = await send({ method: "POST", path, headers: JSON_HEADERS, body: toBytes("{}") });
    expect(wrong.status).toBe(405);
    expect(await wrong.json()).toMatchObject({ error: { code: "METHOD_NOT_ALLOWED" } });
  });
}

/** For a platform that delivers more than requests. */
export function describeUnknownEvents(scene: () => Scene): void {
  test("an event of an unknown kind is logged by code, runs nothing, and the application goes on", async () => {
    const { bodiesOf, complaints, create, drive, fixture, load } = scene();
    const before = (await complaints()).length;
    await fixture.deliverUnknown?.().catch(() => undefined);
    expect((await complaints()).slice(before).map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ code: "INVALID_REQUEST" }),
    );
    await create("contract-steps", "after-unknown");
    await drive(() => load("contract-steps", "after-unknown"), complete("done"));
    expect(await bodiesOf("after-unknown")).toEqual({ first: 1, second: 1, third: 1 });
  });
}
