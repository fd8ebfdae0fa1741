import { createHash } from "node:crypto";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { AuthorizeContext } from "./access.ts";
import { bearerAuth } from "./bearer-auth.ts";
import { HTTP_ROUTES } from "./routes.ts";

const CURRENT = "Zq8Jb2Xw0Rk5Vt7Ym1Lp4Nc6";
const PREVIOUS = "f3a94c0be7d1582690bb4e71c0d8a2f6";

async function ask(
  check: ReturnType<typeof bearerAuth>,
  authorization: string | null,
  policy: AuthorizeContext["policy"] = "manage",
): Promise<number> {
  const headers: Record<string, string> = authorization === null ? {} : { authorization };
  const request = new Request("http://host.test/", { headers });
  const routeName = "pauseInstance";
  const refusal = await check({
    request,
    routeName,
    route: HTTP_ROUTES[routeName],
    policy,
    params: {},
    readBody: async () => new Uint8Array(),
  });
  return refusal === undefined ? 200 : refusal.status;
}

afterEach(() => void vi.restoreAllMocks());

describe("S5-036 bearerAuth", () => {
  test("S5-036 lets in who brings a secret, each of a rotation, and nobody else", async () => {
    const check = bearerAuth([CURRENT, PREVIOUS]);
    for (const secret of [CURRENT, PREVIOUS]) {
      expect(await ask(check, `Bearer ${secret}`)).toBe(200);
      expect(await ask(check, `bearer ${secret}`)).toBe(200);
    }
    const others = [
      null,
      "",
      "Bearer",
      "Bearer undefined",
      CURRENT,
      `Basic ${CURRENT}`,
      `Bearer ${CURRENT}${PREVIOUS}`,
      `Bearer ${CURRENT} ${PREVIOUS}`,
      `Bearer ${CURRENT.slice(0, -1)}`,
      `Bearer ${CURRENT.toLowerCase()}`,
    ];
    for (const other of others) expect(await ask(check, other), String(other)).toBe(401);
  });

  test("S5-036 a lone secret is taken as it comes out of the environment", async () => {
    expect(await ask(bearerAuth(CURRENT), `Bearer ${CURRENT}`)).toBe(200);
  });

  test("S5-036 what is compared has one length, whatever was given, and every secret is", async () => {
    const digest = vi.spyOn(crypto.subtle, "digest");
    const check = bearerAuth([CURRENT, PREVIOUS]);
    for (const given of ["x", CURRENT, `${CURRENT}x`, "y".repeat(5000)]) {
      digest.mockClear();
      await ask(check, `Bearer ${given}`);
      const texts = digest.mock.calls.map(([, bytes]) => new TextDecoder().decode(bytes));
      expect(texts).toContain(given);
    }
  });

  test("ticks have a secret of their own", async () => {
    expect(await ask(bearerAuth(CURRENT), null, "tick")).toBe(200);
  });

  test.each<[string, unknown]>([
    ["no secret", undefined],
    ["an empty one", ""],
    ["an empty list", []],
    ["a list with one that is not set", [CURRENT, undefined]],
    ["a short one", "s3cret"],
    ["one of 23 characters", CURRENT.slice(0, -1)],
    ["one with the newline of its file", `${CURRENT}\n`],
    ["one character, over and over", "a".repeat(40)],
    ["two characters, over and over", "ab".repeat(20)],
    ["a word, over and over", "hunter2!hunter2!hunter2!hunter2!"],
    ["the alphabet", "abcdefghijklmnopqrstuvwxyz"],
    ["the digits", "012345678901234567890123456789"],
    ["change me", "change-me-please-1f83kd0aq2"],
    ["CHANGE_ME", "CHANGE_ME_1f83kd0aq2z9x7c5"],
    ["your-secret-here", "your-secret-goes-in-this-place"],
    ["a placeholder", "PLACEHOLDER_9f2k1x8s0a7d6e5"],
    ["an example", "example-token-for-local-use-1"],
    ["a password", "correct-password-1234-horse"],
    ["no text", 12345678901234567890n],
    ["an object", { secret: CURRENT }],
  ])("S5-036 %s is refused when it is made", (_name, secrets) => {
    expect(() => bearerAuth(secrets as string)).toThrow(
      expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
    );
  });

  test("S5-036 random secrets are not taken for weak ones", () => {
    for (let count = 0; count < 2000; count += 1) {
      // Practically random, and the same in every run; one in a million random texts contains a word or a sequence.
      const bytes = createHash("sha256").update(String(count)).digest().subarray(0, 24);
      const hex = bytes.toString("hex");
      const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/u, "$1-$2-$3-$4-$5");
      const texts = [hex, bytes.toString("base64"), uuid];
      for (const text of texts) expect(() => bearerAuth(text), text).not.toThrow();
    }
  });
});

test.each([undefined, "", [undefined]])(
  "a secret that is not there is said to be missing: %j",
  (given) => {
    expect(() => bearerAuth(given)).toThrow(
      expect.objectContaining({
        code: "DEPLOY_OPTIONS_INVALID",
        message: expect.stringMatching(
          /^No secret was given as bearerAuth(?:\.0)?; is its environment variable set\?$/,
        ),
      }),
    );
  },
);
