import { IDLE_TICK } from "../drive/drive.ts";
import { describe, expect, it } from "vitest";
import { WorkflowError } from "../core/errors.ts";
import type { TickInput, TickOutput } from "../ports/tick.ts";
import { createTickHandler, type TickHandlerOptions } from "./tick-handler.ts";
import { createTickSigner } from "./tick-signature.ts";

const SECRET = "a-secret-of-at-least-24-bytes";
const URL_ = "https://app.example/api/workflows/_runner/tick";
const DONE: TickOutput = { ...IDLE_TICK, processed: 2, steps: 3 };

function setup(options: TickHandlerOptions = { tick: { bearerSecret: SECRET } }): {
  readonly asked: TickInput[];
  readonly send: (init?: RequestInit, query?: string) => Promise<Response>;
} {
  const asked: TickInput[] = [];
  const tick = async (input: TickInput = {}): Promise<TickOutput> => {
    asked.push(input);
    return DONE;
  };
  const handler = createTickHandler({ tick }, options);
  const headers = { authorization: `Bearer ${SECRET}`, "content-type": "application/json" };
  return {
    asked,
    send: (init = {}, query = "") =>
      handler(new Request(URL_ + query, { method: "POST", headers, ...init })),
  };
}

const codeOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { code: unknown }).code;

describe("the tick route alone", () => {
  it("S0-153 ticks by POST and by GET with the limits given", async () => {
    const { asked, send } = setup();
    const posted = await send({ body: JSON.stringify({ maxInstances: 5 }) });
    expect([posted.status, await posted.json()]).toEqual([200, DONE]);
    expect((await send({ method: "GET" }, "?maxSteps=7&cachebuster=1")).status).toBe(200);
    expect(asked).toEqual([
      { maxInstances: 5, deadline: null },
      { maxSteps: 7, deadline: null },
    ]);
  });

  it("S0-153 is closed without a secret and refuses a wrong one, undefined included", async () => {
    expect(await codeOf(await setup({}).send())).toBe("TICK_DISABLED");
    const { asked, send } = setup();
    for (const authorization of ["Bearer undefined", "Bearer ", "", `Bearer ${SECRET}x`]) {
      expect(await codeOf(await send({ headers: { authorization } }))).toBe("TICK_UNAUTHORIZED");
    }
    expect(asked).toEqual([]);
  });

  it("S5-045 refuses options that nothing reads, in place of staying closed", () => {
    const open = (options: object) => () => setup(options);
    expect(open({ tik: { bearerSecret: SECRET } })).toThrow(
      '"tik" is not an option of the handler; did you mean "tick"?',
    );
    expect(open({ tick: { signingKey: SECRET } })).toThrow(
      '"signingKey" is not an option of tick; did you mean "signingKeys"?',
    );
  });

  it("S0-153 leaves to `respond` only what is let in, and what is for another route to `otherwise`", async () => {
    let tick = (): Promise<Response> => Promise.reject(new TypeError("nothing was let in"));
    const { asked, send } = setup({
      tick: { bearerSecret: SECRET },
      logger: { log: () => undefined },
      otherwise: async ({ url }) => new Response(url),
      respond: (_request, run) => {
        tick = run;
        return new Response(null, { status: 202 });
      },
    });
    expect(await codeOf(await send({ headers: {} }))).toBe("TICK_UNAUTHORIZED");
    expect(await (await send({}, "/other")).text()).toBe(`${URL_}/other`);
    await expect(tick()).rejects.toThrow("nothing was let in");
    expect((await send({ method: "GET" }, "?maxSteps=7")).status).toBe(202);
    expect(asked).toEqual([]);
    expect(await (await tick()).json()).toEqual(DONE);
    expect(asked).toEqual([{ maxSteps: 7, deadline: null }]);
  });

  it("answers by code what `respond` throws, and what a tick throws that it began", async () => {
    const logger = { log: () => undefined };
    const tick = (): Promise<never> => Promise.reject(new TypeError("no database"));
    const refuse = (): never => {
      throw new WorkflowError("TICK_DISABLED", "previews do not tick");
    };
    const request = new Request(URL_, { headers: { authorization: `Bearer ${SECRET}` } });
    const options = { tick: { bearerSecret: SECRET }, logger };
    const refused = await createTickHandler({ tick }, { ...options, respond: refuse })(request);
    expect([refused.status, await codeOf(refused)]).toEqual([404, "TICK_DISABLED"]);
    const failed = await createTickHandler({ tick }, options)(request);
    expect([failed.status, await codeOf(failed)]).toEqual([500, "INVARIANT_BROKEN"]);
  });

  it("takes a signature over the raw body", async () => {
    const { asked, send } = setup({ tick: { signingKeys: [SECRET] } });
    const body = JSON.stringify({ maxSteps: 1 });
    const audience = "/api/workflows/_runner/tick";
    const sign = createTickSigner({ signingKeys: [SECRET], audience });
    const headers = { ...(await sign("POST", body)), "content-type": "application/json" };
    expect((await send({ body, headers })).status).toBe(200);
    expect(await codeOf(await send({ body: body.replace("1", "2"), headers }))).toBe(
      "TICK_UNAUTHORIZED",
    );
    expect(asked).toHaveLength(1);
  });

  it.each([
    "[]",
    "7",
    "{",
    '{"maxSteps":0}',
    '{"maxSteps":"5"}',
    '{"maxSteps":1.5}',
    '{"maxStep":1}',
  ])("the body %s is INVALID_REQUEST and nothing ticks", async (body) => {
    const { asked, send } = setup();
    const response = await send({ body });
    expect([response.status, await codeOf(response)]).toEqual([400, "INVALID_REQUEST"]);
    expect(asked).toEqual([]);
  });

  it.each(["HEAD", "OPTIONS", "PUT"])("S5-037 %s never ticks", async (method) => {
    const { asked, send } = setup();
    expect((await send({ method })).status).toBe(405);
    expect(asked).toEqual([]);
  });

  it("S5-037 a page of another site does not tick, whatever it brings", async () => {
    const { asked, send } = setup();
    const headers = { authorization: `Bearer ${SECRET}`, "sec-fetch-site": "cross-site" };
    expect(await codeOf(await send({ method: "GET", headers }))).toBe("CROSS_SITE_REQUEST");
    expect(asked).toEqual([]);
  });

  it("a body above 16 KiB is PAYLOAD_TOO_LARGE; other paths and methods are told apart", async () => {
    const { send } = setup();
    expect(await codeOf(await send({ body: " ".repeat(17_000) }))).toBe("PAYLOAD_TOO_LARGE");
    const put = await send({ method: "PUT" });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "POST, GET"]);
    const handler = createTickHandler({ tick: async () => DONE });
    expect(
      await codeOf(await handler(new Request("https://app.example/api/workflows/workflows"))),
    ).toBe("ROUTE_NOT_FOUND");
  });
});
