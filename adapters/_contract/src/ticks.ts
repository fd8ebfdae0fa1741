/** Who may tick over HTTP. */
import { createTickSigner } from "@escapement/engine/http";
import { describe, expect, test } from "vitest";
import { CONTRACT_TICK } from "./app.ts";
import { type Scene, TICK, toBytes } from "./scene.ts";

const BODY = '{"maxSteps":5}';
const AN_HOUR_MS = 3_600_000;

/** 202: answered before the work is done. The body ends with the work, and is then the engine's answer. */
const ACCEPTED = [200, 202];

interface Signing {
  readonly key?: string;
  readonly audience?: string;
  readonly offMs?: number;
}

async function sign(signing: Signing = {}, body: string = BODY): Promise<Record<string, string>> {
  const { key = CONTRACT_TICK.signingKeys[0] ?? "", audience = TICK, offMs = 0 } = signing;
  const now = (): number => Date.now() + offMs;
  const headers = await createTickSigner({ signingKeys: [key], audience, now })("POST", body);
  return { ...headers, "content-type": "application/json" };
}

const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });

const REFUSED: readonly (readonly [string, () => Promise<Record<string, string>>])[] = [
  ["no secret at all", async () => ({})],
  ["Bearer undefined", async () => bearer("undefined")],
  ["a wrong bearer secret", async () => bearer(`${CONTRACT_TICK.bearerSecret}x`)],
  ["a signature by another key", () => sign({ key: "another-key-with-more-than-24-bytes" })],
  ["a stale signature", () => sign({ offMs: -AN_HOUR_MS })],
  ["a signature from the future", () => sign({ offMs: AN_HOUR_MS })],
  ["a signature for another audience", () => sign({ audience: "/another/tick" })],
  ["a signature of another body", () => sign({}, '{"maxSteps":6}')],
];

export function describeTicks(scene: () => Scene): void {
  const tick = (headers: Record<string, string>): Promise<Response> =>
    scene().send({ method: "POST", path: TICK, headers, body: toBytes(BODY) });

  describe("ticks over HTTP", () => {
    test("the bearer secret and a signature by either key tick", async () => {
      const keys = CONTRACT_TICK.signingKeys.map((key) => sign({ key }));
      const json = { "content-type": "application/json" };
      const accepted = [
        { ...bearer(CONTRACT_TICK.bearerSecret), ...json },
        ...(await Promise.all(keys)),
      ];
      for (const headers of accepted) {
        const answer = await tick(headers);
        expect(ACCEPTED).toContain(answer.status);
        expect(await answer.json()).toMatchObject({ moreDue: false });
      }
    });

    test("a GET ticks with the bearer secret, for schedules that can send nothing else", async () => {
      const answer = await scene().send({
        path: TICK,
        headers: bearer(CONTRACT_TICK.bearerSecret),
      });
      expect(ACCEPTED).toContain(answer.status);
      await answer.text();
    });

    test("a replayed signature only ticks once more: no body runs twice", async () => {
      const { bodiesOf, create, drive } = scene();
      await create("contract-steps", "replayed");
      const headers = await sign();
      const answers = await Promise.all([tick(headers), tick(headers), tick(headers)]);
      for (const answer of answers) {
        expect(ACCEPTED).toContain(answer.status);
        await answer.text();
      }
      await drive(() => bodiesOf("replayed"), { first: 1, second: 1, third: 1 });
    });

    test.each(REFUSED)("%s does not tick", async (_name, headers) => {
      const answer = await tick(await headers());
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ error: { code: "TICK_UNAUTHORIZED" } });
    });
  });
}

/** For an application without secrets. */
export function describeClosedTicks(scene: () => Scene): void {
  test.each([
    ["Bearer undefined", async () => bearer("undefined")],
    ["a secret that fits elsewhere", async () => bearer(CONTRACT_TICK.bearerSecret)],
    ["a signature that fits elsewhere", () => sign()],
  ] as const)("with the secret unset the tick route is closed: %s", async (_name, headers) => {
    const body = toBytes(BODY);
    const request = { method: "POST", path: TICK, headers: await headers(), body } as const;
    const answer = await scene().send(request);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: "TICK_DISABLED" } });
  });
}

/** Refusals that only the log shows, because the caller may be a cron whose answer nobody reads. */
export function describeLoggedTicks(scene: () => Scene, code: string): void {
  test(`a tick with a wrong secret is logged as ${code}`, async () => {
    const { complaints, send } = scene();
    const headers = bearer(`${CONTRACT_TICK.bearerSecret}x`);
    await send({ method: "POST", path: TICK, headers, body: toBytes("{}") });
    // Only the first of its kind within a minute is logged.
    expect(await complaints()).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ code }) as unknown }),
    );
  });
}
