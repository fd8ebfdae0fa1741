import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSelfCall } from "./self-call.ts";
import { verifyTick } from "./tick-signature.ts";

const KEY = "signing-key-of-more-than-24-bytes";
const URL_ = "https://app.example/api/workflows/_runner/tick";
const OPTIONS = { url: URL_, signingKeys: [KEY] };
const fetched = vi.fn<(url: URL, init: RequestInit) => Promise<Response>>();

beforeEach(() => {
  fetched.mockReset().mockImplementation(async () => new Response("\n{}", { status: 202 }));
  vi.stubGlobal("fetch", fetched);
});
afterEach(() => void vi.unstubAllGlobals());

test("a call is signed for the route's path, carries the headers that it was given and follows no redirect", async () => {
  await createSelfCall({ ...OPTIONS, headers: { "x-pass": "let me in" } })();
  const [url, init] = fetched.mock.calls[0] ?? [];
  expect([url?.href, init?.method, init?.redirect]).toEqual([URL_, "POST", "manual"]);
  const headers = new Headers(init?.headers);
  expect(headers.get("x-pass")).toBe("let me in");
  const audience = "/api/workflows/_runner/tick";
  const verdict = await verifyTick({
    method: "POST",
    headers,
    body: new Uint8Array(),
    signingKeys: [KEY],
    audience,
    now: Date.now(),
  });
  expect(verdict).toEqual({ ok: true });
});

test("R9 one call is under way at a time; those asked for meanwhile are one more", async () => {
  const answers: (() => void)[] = [];
  fetched.mockImplementation(
    () => new Promise((resolve) => answers.push(() => resolve(new Response(null)))),
  );
  const call = createSelfCall(OPTIONS);
  const calls = [call(), call(), call()];
  await expect.poll(() => answers.length).toBe(1);
  answers[0]?.();
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.();
  await Promise.all(calls);
  const next = call();
  await expect.poll(() => answers.length).toBe(3);
  answers[2]?.();
  await next;
});

test("an answer that refuses, and none at all, are WAKE_FAILED; the next call is made all the same", async () => {
  const call = createSelfCall({ ...OPTIONS, ackTimeoutMs: 5 });
  for (const status of [401, 302]) {
    fetched.mockResolvedValueOnce(new Response(null, { status }));
    await expect(call()).rejects.toMatchObject({ code: "WAKE_FAILED" });
  }
  fetched.mockImplementationOnce(
    (_url, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  );
  await expect(call()).rejects.toMatchObject({ code: "WAKE_FAILED" });
  await call();
});

test.each([
  ["url", { ...OPTIONS, url: "http://app.example/tick" }],
  ["url", { ...OPTIONS, url: "/tick" }],
  ["signingKeys", { ...OPTIONS, signingKeys: [] }],
  ["signingKeys.0", { ...OPTIONS, signingKeys: ["short"] }],
])("the option %s is refused when it cannot work: %j", (option, options) => {
  expect(() => createSelfCall(options)).toThrow(
    expect.objectContaining({
      code: "DEPLOY_OPTIONS_INVALID",
      details: expect.objectContaining({ path: option }),
    }),
  );
});

test("plain http is for the loopback only", () => {
  expect(() => createSelfCall({ ...OPTIONS, url: "http://127.0.0.1:8000/tick" })).not.toThrow();
});
