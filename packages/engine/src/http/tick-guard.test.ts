import { describe, expect, it } from "vitest";
import type { TickOptions } from "./tick-guard.ts";
import { createTickSigner } from "./tick-signature.ts";
import { createTestingClient, TESTING_SECRET, type Answer } from "./testing-client.ts";

const CURRENT = "current-key-with-more-than-24-bytes";
const PREVIOUS = "previous-key-with-more-than-24-bytes";
const AUDIENCE = "/api/workflows/_runner/tick";
const NOW = 1_800_000_000_000;

/** Ticks and checks that the service was reached exactly when the answer is a success. */
async function tick(
  options: TickOptions,
  headers: HeadersInit,
  { method = "POST", body }: { readonly method?: string; readonly body?: string } = {},
): Promise<Answer> {
  const client = createTestingClient({ tick: options, now: () => NOW });
  const answer = await client.send(method, "/_runner/tick", body, headers);
  expect(client.service.ticks.length).toBe(answer.status === 200 ? 1 : 0);
  return answer;
}

const refusedFor = (reason: string): object => ({
  status: 401,
  code: "TICK_UNAUTHORIZED",
  body: { error: { details: { reason } } },
});

describe("without a secret", () => {
  it.each([{}, { signingKeys: [] }])("S0-153 the tick route is closed with %j", async (options) => {
    for (const method of ["GET", "POST"]) {
      const answer = await tick(options, { authorization: "Bearer undefined" }, { method });
      expect(answer).toMatchObject({ status: 404, code: "TICK_DISABLED" });
    }
  });

  it("S0-153 a handler made without options has a closed tick route", async () => {
    const { send } = createTestingClient({ tick: {} });
    expect(await send("POST", "/_runner/tick")).toMatchObject({ code: "TICK_DISABLED" });
  });
});

describe("bearer secret", () => {
  const options = { bearerSecret: TESTING_SECRET };

  it.each(["GET", "POST"])("S0-153 the right secret ticks by %s", async (method) => {
    const headers = { authorization: `Bearer ${TESTING_SECRET}` };
    expect(await tick(options, headers, { method })).toMatchObject({ status: 200 });
    expect(await tick(options, { authorization: `bearer  ${TESTING_SECRET}` })).toMatchObject({
      status: 200,
    });
  });

  it.each([
    "Bearer undefined",
    "Bearer null",
    "Bearer ",
    "Bearer",
    "",
    TESTING_SECRET,
    `Basic ${TESTING_SECRET}`,
    `Bearer ${TESTING_SECRET}x`,
    `Bearer ${TESTING_SECRET.slice(0, -1)}`,
    `Bearer ${TESTING_SECRET.toUpperCase()}`,
    `Bearer ${TESTING_SECRET} ${TESTING_SECRET}`,
    `Bearer ${TESTING_SECRET}, Bearer ${TESTING_SECRET}`,
  ])("S0-153 authorization %j does not tick", async (authorization) => {
    const answer = await tick(options, { authorization });
    expect(answer).toMatchObject(refusedFor("mismatch"));
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("no authorization at all is missing", async () => {
    expect(await tick(options, {})).toMatchObject(refusedFor("missing"));
  });

  it("a refused tick is logged without the secret", async () => {
    const client = createTestingClient();
    await client.send("POST", "/_runner/tick", {}, { authorization: "Bearer wrong-secret" });
    expect(client.log).toMatchObject([
      { level: "warn", event: "http.refused", fields: { details: { reason: "mismatch" } } },
    ]);
    expect(JSON.stringify(client.log)).not.toContain("wrong-secret");
  });

  it("a malformed body is looked at only after the secret", async () => {
    const answer = await tick(options, {}, { body: "{" });
    expect(answer.code).toBe("TICK_UNAUTHORIZED");
  });
});

describe("signature", () => {
  const options: TickOptions = { signingKeys: [CURRENT, PREVIOUS] };
  const body = '{"maxSteps":5}';
  const sign = async (
    key: string,
    changes: { readonly audience?: string; readonly now?: number } = {},
    method: "GET" | "POST" = "POST",
  ): Promise<Record<string, string>> => {
    const { audience = AUDIENCE, now = NOW } = changes;
    const signer = createTickSigner({ signingKeys: [key], audience, now: () => now });
    return { ...(await signer(method, method === "GET" ? "" : body)) };
  };

  it.each([CURRENT, PREVIOUS])("key %s of the rotation ticks", async (key) => {
    expect(await tick(options, await sign(key), { body })).toMatchObject({ status: 200 });
  });

  it("a GET signed as such ticks", async () => {
    const headers = await sign(CURRENT, {}, "GET");
    expect(await tick(options, headers, { method: "GET" })).toMatchObject({ status: 200 });
  });

  it.each([-300, 300])("a clock off by %s s is within the window", async (offSeconds) => {
    const headers = await sign(CURRENT, { now: NOW + offSeconds * 1000 });
    expect(await tick(options, headers, { body })).toMatchObject({ status: 200 });
  });

  it.each([-301, 301])("a clock off by %s s is stale", async (offSeconds) => {
    const headers = await sign(CURRENT, { now: NOW + offSeconds * 1000 });
    expect(await tick(options, headers, { body })).toMatchObject(refusedFor("stale"));
  });

  it("the window can be narrowed", async () => {
    const headers = await sign(CURRENT, { now: NOW - 11_000 });
    const narrow = { ...options, windowSeconds: 10 };
    expect(await tick(narrow, headers, { body })).toMatchObject(refusedFor("stale"));
  });

  it("a key that is not in the list does not tick", async () => {
    const headers = await sign("another-key-with-more-than-24-bytes");
    expect(await tick(options, headers, { body })).toMatchObject(refusedFor("mismatch"));
  });

  it("another body, method or audience does not tick", async () => {
    const headers = await sign(CURRENT);
    const elsewhere = await sign(CURRENT, { audience: "staging" });
    expect(await tick(options, headers, { body: '{"maxSteps":6}' })).toMatchObject(
      refusedFor("mismatch"),
    );
    expect(await tick(options, headers, { method: "GET" })).toMatchObject(refusedFor("mismatch"));
    expect(await tick(options, elsewhere, { body })).toMatchObject(refusedFor("mismatch"));
    const staging = { ...options, audience: "staging" };
    expect(await tick(staging, elsewhere, { body })).toMatchObject({ status: 200 });
  });

  it("the signature is looked at before the body is parsed", async () => {
    const headers = await sign(CURRENT);
    expect(await tick(options, headers, { body: "{" })).toMatchObject(refusedFor("mismatch"));
  });

  it("a body above 16 KiB is refused before any signature is computed", async () => {
    const answer = await tick(options, await sign(CURRENT), { body: " ".repeat(16_385) });
    expect(answer).toMatchObject({ status: 413, code: "PAYLOAD_TOO_LARGE" });
  });

  it("with both configured, either is enough", async () => {
    const both = { ...options, bearerSecret: TESTING_SECRET };
    expect(await tick(both, await sign(CURRENT), { body })).toMatchObject({ status: 200 });
    const bearer = { authorization: `Bearer ${TESTING_SECRET}` };
    expect(await tick(both, bearer)).toMatchObject({ status: 200 });
  });
});

describe("options that cannot work are refused when the handler is made", () => {
  it.each<[string, TickOptions]>([
    ["an empty bearer secret", { bearerSecret: "" }],
    ["a bearer secret of 23 bytes", { bearerSecret: "Zq8Jb2Xw0Rk5Vt7Ym1Lp4Nc" }],
    ["the text undefined", { bearerSecret: "undefined" }],
    ["a secret with a newline at its end", { bearerSecret: `${TESTING_SECRET}\n` }],
    ["a secret with a space", { bearerSecret: `${TESTING_SECRET} ${TESTING_SECRET}` }],
    ["a secret outside ASCII", { bearerSecret: "ü".repeat(30) }],
    ["one character, over and over", { bearerSecret: "a".repeat(32) }],
    ["one word, over and over", { signingKeys: ["hunter2-hunter2-hunter2-"] }],
    ["the alphabet", { signingKeys: ["abcdefghijklmnopqrstuvwxyz"] }],
    ["digits in a row", { signingKeys: ["0123456789012345678901234"] }],
    ["a placeholder", { bearerSecret: "change-me-to-something-long-and-random" }],
    ["a template's placeholder", { signingKeys: ["<your-secret-signing-key-here>"] }],
    // From a host in plain JavaScript.
    ["a text in place of a list", { signingKeys: CURRENT as unknown as readonly string[] }],
    ["no text in the list", { signingKeys: [undefined] as unknown as readonly string[] }],
    ["a short signing key", { signingKeys: [CURRENT, "short"] }],
    ["an empty signing key", { signingKeys: [""] }],
    ["an empty audience", { signingKeys: [CURRENT], audience: "" }],
    ["a window of 0", { signingKeys: [CURRENT], windowSeconds: 0 }],
    ["a window of NaN", { signingKeys: [CURRENT], windowSeconds: Number.NaN }],
    ["a window of more than a day", { signingKeys: [CURRENT], windowSeconds: 86_401 }],
  ])("%s", (_what, options) => {
    expect(() => createTestingClient({ tick: options })).toThrow(
      expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
    );
  });

  it("a secret of exactly 24 bytes is enough", () => {
    expect(() =>
      createTestingClient({ tick: { bearerSecret: "Zq8Jb2Xw0Rk5Vt7Ym1Lp4Nc6" } }),
    ).not.toThrow();
  });
});
