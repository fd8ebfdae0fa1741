/** A process clock that is off by more than the validity of signatures. The time that matters is the database's. */
import { createTickSigner } from "@escapement/engine/http";
import { expect, test } from "vitest";
import { CONTRACT_TICK } from "./app.ts";
import { API, complete, reasonOf, type Scene, TICK, toBytes } from "./scene.ts";
import type { ExactWakes } from "./subject.ts";

const HALF_AN_HOUR_MS = 1_800_000;
/** Within the longest delay of every queue. */
const TEN_MINUTES_MS = 600_000;
/** A queue counts whole seconds, and a distance is measured within one trip. */
const ROUNDING_MS = 2000;
const JSON_HEADERS = { "content-type": "application/json" };

/** Signatures are accepted from clocks that are up to five minutes apart. */
const SIGNATURE_WINDOW_MS = 300_000;

/** @param offMs how far the process clock is off */
export function describeSkew(
  scene: () => Scene,
  exactWakes: ExactWakes | string,
  offMs: number,
): void {
  describeDistance(scene, typeof exactWakes === "string" ? exactWakes : true);
  test("S2-045 retries, sleeps and waits go by the database's clock: neither early nor late", async () => {
    const { create, fixture, load, send, takeWakes } = scene();
    const driveEarly = async (look: () => Promise<unknown>, expected: object): Promise<void> => {
      // Wakes are asked for by a clock that is off. An early wake is allowed; for a late one there is the safety-net tick.
      const deliverAndLook = async (): Promise<unknown> => {
        for (const wake of takeWakes()) await wake.deliver();
        await fixture.safetyTick();
        return look();
      };
      await expect.poll(deliverAndLook, { interval: 50, timeout: 60_000 }).toMatchObject(expected);
    };
    await create("contract-sleeper", "asleep", { sleepMs: HALF_AN_HOUR_MS });
    await create("contract-order", "skewed", {});
    const order = `${API}/contract-order/instances/skewed`;
    const loadSteps = async () => (await send({ path: `${order}/history` })).json();
    await driveEarly(loadSteps, {
      steps: [{ attempts: 2 }, { status: "completed" }, { name: "approval", status: "waiting" }],
    });
    const body = toBytes('{"type":"approval","payload":{"by":"Noor"}}');
    await send({ method: "POST", path: `${order}/events`, headers: JSON_HEADERS, body });
    const output = { charge: { attempt: 2 }, approvedBy: "Noor", params: {} };
    await driveEarly(() => load("contract-order", "skewed"), complete(output));
    expect(await load("contract-sleeper", "asleep")).toMatchObject({
      details: { status: "waiting" },
    });
  });

  test.skipIf(Math.abs(offMs) < SIGNATURE_WINDOW_MS)(
    "a signature is refused by code and the log says why; the bearer secret ticks",
    async () => {
      const { complaints, send } = scene();
      const signingKeys = CONTRACT_TICK.signingKeys.slice(0, 1);
      const signed = await createTickSigner({ signingKeys, audience: TICK })("POST", "{}");
      const tick = (headers: Readonly<Record<string, string>>): Promise<Response> =>
        send({
          method: "POST",
          path: TICK,
          headers: { ...headers, ...JSON_HEADERS },
          body: toBytes("{}"),
        });
      const refusal = await tick({ ...signed });
      expect(refusal.status).toBe(401);
      const error = { code: "TICK_UNAUTHORIZED", details: { reason: "stale" } };
      expect(await refusal.json()).toMatchObject({ error });
      expect((await complaints()).map(({ fields }) => fields)).toContainEqual(
        expect.objectContaining(error),
      );
      const answer = await tick({ authorization: `Bearer ${CONTRACT_TICK.bearerSecret}` });
      expect([200, 202]).toContain(answer.status);
      // A tick that stays for what is due within its minute, by a clock that is off, may stay for all of it.
      await answer.body?.cancel();
    },
  );
}

function describeDistance(scene: () => Scene, canWake: true | string): void {
  test.skipIf(canWake !== true)(
    `S9-014 an exact wake is asked for as far ahead as the database's clock says${reasonOf(canWake)}`,
    async () => {
      const { create, takeWakes } = scene();
      takeWakes();
      const begunAt = Date.now();
      await create("contract-sleeper", "exact", { sleepMs: TEN_MINUTES_MS });
      for (const wake of takeWakes()) if (wake.at === null) await wake.deliver();
      const exact = takeWakes().flatMap(({ at }) => at ?? []);
      expect(exact).toHaveLength(1);
      expect(exact[0]).toBeGreaterThanOrEqual(begunAt + TEN_MINUTES_MS - ROUNDING_MS);
      expect(exact[0]).toBeLessThan(Date.now() + TEN_MINUTES_MS + ROUNDING_MS);
    },
  );
}
