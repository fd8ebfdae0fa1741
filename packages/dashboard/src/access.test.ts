/** Who may see the dashboard. */
import { describe, expect, test } from "vitest";
import { dashboard, passwordAuth } from "./index.ts";
import type { DashboardOptions } from "./options.ts";
import { open, openAsk, ORIGIN } from "./testing-ask.ts";

const PASSWORD = "kT8w2Zq9vLr4XbN7mPc3JhYd";
const { engine, ask } = await openAsk();

describe("who may see it", () => {
  test("without authorize it does not start", () => {
    const start = () => dashboard(engine, {} as DashboardOptions);
    expect(start).toThrow(expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }));
  });

  test.each([
    ["allow", { allow: ["rule" as "steer"] }],
    ["workflows", { workflows: null as unknown as Record<string, never> }],
    ["path", { path: "no slash" }],
    ["path", { path: "/a/<b>" }],
  ] as const)("an option that cannot work is refused at the start: %s %o", (_name, options) => {
    expect(() => dashboard(engine, { ...open, ...options })).toThrow(
      expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
    );
  });

  test("an option that is misspelt is refused at the start", () => {
    const options = { ...open, alow: [] } as DashboardOptions;
    expect(() => dashboard(engine, options)).toThrow(
      expect.objectContaining({ code: "UNKNOWN_OPTION" }),
    );
  });

  test.each(["", "/instances", "/assets/x.js", "/api/instances", "/api/workflows"])(
    "only a clear yes opens %s",
    async (path) => {
      const no = [false, undefined, null, 1, "yes", {}] as unknown as boolean[];
      for (const verdict of no) {
        const { status } = await ask(path, { authorize: () => verdict });
        expect(status).toBe(401);
      }
      const thrown = await ask(path, { authorize: () => Promise.reject(new Error("no session")) });
      expect(thrown.status).toBe(401);
      expect(await thrown.text()).not.toContain("no session");
    },
  );

  test("a Response of authorize is given instead, also where it is thrown", async () => {
    const toSignIn = () => Response.redirect(`${ORIGIN}/sign-in`);
    expect((await ask("/", { authorize: toSignIn })).status).toBe(302);
    expect((await ask("/", { authorize: () => Promise.reject(toSignIn()) })).status).toBe(302);
  });

  test("a password makes the browser ask, and is looked at behind the first colon", async () => {
    const authorize = passwordAuth(PASSWORD);
    const asked = await ask("/", { authorize });
    expect([asked.status, asked.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringMatching(/^Basic /),
    ]);
    const sent = async (text: string): Promise<number> =>
      (await ask("/", { authorize }, { headers: { authorization: `Basic ${text}` } })).status;
    expect(await sent(btoa(`ann:${PASSWORD}`))).toBe(200);
    expect(await sent(btoa(`:${PASSWORD}`))).toBe(200);
    for (const wrong of [
      btoa(PASSWORD),
      btoa(`ann:${PASSWORD}x`),
      btoa(`${PASSWORD}:ann`),
      "%%",
      "A",
    ])
      expect(await sent(wrong)).toBe(401);
  });

  test("a password that is missing or weak does not start", () => {
    for (const weak of [undefined, "", "short", "a".repeat(40)])
      expect(() => passwordAuth(weak)).toThrow(
        expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
      );
  });
});
