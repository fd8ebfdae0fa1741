import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createTickSigner, signTick, verifyTick } from "./tick-signature.ts";

const KEY = "a-key-with-more-than-24-bytes";
const ENVELOPE = {
  id: "msg_1-a",
  timestampSeconds: 1_800_000_000,
  method: "POST",
  audience: "prod.eu./api/workflows/_runner/tick",
  body: '{"maxSteps":1}',
} as const;

/** Verifies with changed headers. */
async function verify(changes: Partial<Awaited<ReturnType<typeof signTick>>>): Promise<string> {
  const headers = new Headers({ ...(await signTick(KEY, ENVELOPE)), ...changes });
  const verdict = await verifyTick({
    method: "POST",
    headers,
    body: new TextEncoder().encode(ENVELOPE.body),
    signingKeys: [KEY],
    audience: ENVELOPE.audience,
    now: 1_800_000_000_000,
  });
  return verdict.ok ? "ok" : verdict.reason;
}

describe("the signed envelope", () => {
  it("is id.seconds.METHOD.audience.sha256hex(body) under HMAC-SHA256", async () => {
    const hash = createHash("sha256").update(ENVELOPE.body).digest("hex");
    const text = `msg_1-a.1800000000.POST.${ENVELOPE.audience}.${hash}`;
    const signature = createHmac("sha256", KEY).update(text).digest("base64");
    expect(await signTick(KEY, ENVELOPE)).toEqual({
      "webhook-id": "msg_1-a",
      "webhook-timestamp": "1800000000",
      "webhook-signature": `v1,${signature}`,
    });
  });

  it("a signer makes a new id each time and verifies with its first key", async () => {
    const signingKeys = [KEY, "an-older-key-with-more-than-24-bytes"];
    const at = 1_800_000_000_999;
    const sign = createTickSigner({ signingKeys, audience: "a", now: () => at });
    const [one, two] = await Promise.all([sign("GET"), sign("GET")]);
    expect(one["webhook-id"]).not.toBe(two["webhook-id"]);
    expect(one["webhook-timestamp"]).toBe("1800000000");
    const headers = new Headers({ ...one });
    const body = new Uint8Array(0);
    const input = { method: "GET", headers, body, audience: "a", now: at };
    expect(await verifyTick({ ...input, signingKeys: [KEY] })).toEqual({ ok: true });
  });

  it("a good signature among others verifies", async () => {
    const { "webhook-signature": good } = await signTick(KEY, ENVELOPE);
    const other = `v1,${btoa("x".repeat(32))}`;
    expect(await verify({})).toBe("ok");
    expect(await verify({ "webhook-signature": `v2,whatever ${other} ${good}` })).toBe("ok");
  });

  it.each([
    ["id with a separator", { "webhook-id": "a.b" }, "malformed"],
    ["empty id", { "webhook-id": "" }, "malformed"],
    ["long id", { "webhook-id": "a".repeat(101) }, "malformed"],
    ["other id", { "webhook-id": "msg_2" }, "mismatch"],
    ["time in text", { "webhook-timestamp": "yesterday" }, "malformed"],
    ["negative time", { "webhook-timestamp": "-1800000000" }, "malformed"],
    ["fractional time", { "webhook-timestamp": "1800000000.0" }, "malformed"],
    ["hexadecimal time", { "webhook-timestamp": "0x6b49d200" }, "malformed"],
    ["time in milliseconds", { "webhook-timestamp": "180000000000" }, "stale"],
    ["other time within the window", { "webhook-timestamp": "1800000001" }, "mismatch"],
    ["no signature of a known version", { "webhook-signature": "v2,AAAA" }, "malformed"],
    ["garbage", { "webhook-signature": "garbage" }, "malformed"],
    ["base64 of another length", { "webhook-signature": `v1,${btoa("short")}` }, "malformed"],
    ["signature of zeros", { "webhook-signature": `v1,${"A".repeat(43)}=` }, "mismatch"],
  ])("%s is refused", async (_what, changes, reason) => {
    expect(await verify(changes)).toBe(reason);
  });

  it("a good signature after eight others is not looked for", async () => {
    const { "webhook-signature": good } = await signTick(KEY, ENVELOPE);
    const other = `v1,${btoa("x".repeat(32))}`;
    const list = [...Array.from({ length: 8 }, () => other), good].join(" ");
    expect(await verify({ "webhook-signature": list })).toBe("mismatch");
  });
});
