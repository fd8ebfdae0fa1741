/** A database that is down or not migrated: reported by code and logged, nothing is lost, and the process continues. */
import { expect, test } from "vitest";
import { CONTRACT_TICK } from "./app.ts";
import type { Outage } from "./faults.ts";
import { API, complete, type Scene, TICK, toBytes } from "./scene.ts";

const JSON_HEADERS = { "content-type": "application/json" };
const BEARER = { authorization: `Bearer ${CONTRACT_TICK.bearerSecret}`, ...JSON_HEADERS };
/** More complaints than this about one short outage come from a loop without a pause. */
const MAX_COMPLAINTS = 100;

const CODES: Readonly<Record<Outage, string>> = {
  down: "STORE_UNAVAILABLE",
  unmigrated: "SCHEMA_MISMATCH",
};

/** For an application that was started in this state. */
export function describeColdStart(scene: () => Scene, state: Outage): void {
  const code = CODES[state];

  test("the application starts; requests and ticks are refused by code", async () => {
    const { send } = scene();
    const body = toBytes('{"id":"refused"}');
    const path = `${API}/contract-steps/instances`;
    const refusal = await send({ method: "POST", path, headers: JSON_HEADERS, body });
    expect(refusal.status).toBe(503);
    expect(await refusal.json()).toMatchObject({ error: { code } });
    const tick = await send({ method: "POST", path: TICK, headers: BEARER, body: toBytes("{}") });
    // A platform that answers ticks before their work has already said 202.
    expect([202, 503]).toContain(tick.status);
    expect(await tick.json()).toMatchObject({ error: { code } });
  });

  test("the safety-net tick logs the code", async () => {
    await (
      await meetOutage(scene(), code)
    ).ended;
    expect((await scene().complaints()).length).toBeLessThan(MAX_COMPLAINTS);
  });

  test("once the database answers the same application works, without a start of its own", async () => {
    const { bodiesOf, create, drive, load, setDatabase } = scene();
    await setDatabase("up");
    await create("contract-steps", `recovered-${state}`);
    await drive(() => load("contract-steps", `recovered-${state}`), complete("done"));
    expect(await bodiesOf(`recovered-${state}`)).toEqual({ first: 1, second: 1, third: 1 });
  });

  test("going away midway it loses nothing: what was accepted ends, what was refused is not half done", async () => {
    const { bodiesOf, create, drive, fixture, load, send, setDatabase, takeWakes } = scene();
    await create("contract-order", `waiting-${state}`);
    const order = `${API}/contract-order/instances/waiting-${state}`;
    const loadSteps = async () => (await send({ path: `${order}/history` })).json();
    await drive(loadSteps, { steps: [{}, {}, { name: "approval", status: "waiting" }] });
    takeWakes();
    await create("contract-steps", `accepted-${state}`);
    await setDatabase(state);
    const sendApproval = (): Promise<Response> =>
      send({ method: "POST", path: `${order}/events`, headers: JSON_HEADERS, body: APPROVAL });
    expect((await sendApproval()).status).toBe(503);
    for (const wake of takeWakes()) await passOver(wake.deliver());
    const safetyTick = await meetOutage(scene(), code);
    await setDatabase("up");
    await safetyTick.ended;
    // The safety-net tick does what a wake could not.
    await passOver(fixture.safetyTick());
    await drive(() => load("contract-steps", `accepted-${state}`), complete("done"));
    expect(await bodiesOf(`accepted-${state}`)).toEqual({ first: 1, second: 1, third: 1 });
    expect(await load("contract-order", `waiting-${state}`)).toMatchObject({
      details: { status: "waiting" },
    });
    expect((await sendApproval()).status).toBe(200);
    await drive(() => load("contract-order", `waiting-${state}`), {
      details: { status: "complete" },
    });
  });
}

/**
 * Runs a safety-net tick that meets the outage and logs it.
 *
 * @returns `ended` resolves when the invocation is over: some stay for unfinished work, which waits for the database
 */
async function meetOutage(
  { complaints, fixture }: Scene,
  code: string,
): Promise<{ readonly ended: Promise<unknown> }> {
  const countCoded = async (): Promise<number> =>
    (await complaints()).filter(({ fields }) => fields["code"] === code).length;
  const before = await countCoded();
  const ended = passOver(fixture.safetyTick());
  await expect.poll(countCoded, { timeout: 60_000 }).toBeGreaterThan(before);
  return { ended };
}

const APPROVAL = toBytes('{"type":"approval","payload":{"by":"Noor"}}');

/** An invocation fails in the platform's way: with an error, or with a list of what to deliver again. */
const passOver = (invocation: Promise<unknown>): Promise<unknown> =>
  invocation.catch(() => undefined);
