import { describe, expect, it } from "vitest";
import { WorkflowError } from "../core/errors.ts";
import type { Authorize, AuthorizeContext } from "./access.ts";
import type { FetchHandlerOptions } from "./options.ts";
import type { RoutePolicy } from "./route.ts";
import { listRoutes } from "./routes.ts";
import { createTestingClient, INSTANCES, TESTING_SECRET, type Answer } from "./testing-client.ts";

const bearer = { authorization: `Bearer ${TESTING_SECRET}` };
const POLICIES: readonly RoutePolicy[] = [
  "create",
  "manage",
  "delete",
  "events",
  "read",
  "view",
  "tick",
];

/** Creates an instance with the given options; returns the outcome and whether anything was written. */
async function create(
  options: FetchHandlerOptions,
): Promise<Answer & { readonly written: number }> {
  const client = createTestingClient(options);
  const answer = await client.send("POST", INSTANCES, { id: "a" });
  return { ...answer, written: client.service.countCreated() };
}

describe("authorizeRequest", () => {
  const asked = listRoutes().filter(([, { policy }]) => policy !== "callback");

  it.each(asked)("S0-154 is asked on %s, before anything happens", async (name, route) => {
    const seen: AuthorizeContext[] = [];
    const client = createTestingClient({
      authorizeRequest: (context) => {
        seen.push(context);
        return new Response("no", { status: 418 });
      },
      tick: { bearerSecret: TESTING_SECRET },
    });
    client.service.failWith("never asked");
    const path = route.path.replace(":workflowName", "ORDER").replace(":instanceId", "a");
    const answer = await client.send(route.method, path, undefined, bearer);
    expect(answer).toMatchObject({ status: 418, body: "no" });
    expect(seen).toMatchObject([{ routeName: name, route, policy: route.policy }]);
  });

  it("S0-154 returning nothing lets the request pass, also later", async () => {
    expect(await create({ authorizeRequest: () => undefined })).toMatchObject({ written: 1 });
    expect(await create({ authorizeRequest: async () => undefined })).toMatchObject({ written: 1 });
  });

  it("S0-154 a thrown Response is given as it is", async () => {
    const elsewhere = new Response("", { status: 302, headers: { location: "/login" } });
    // A rejection instead of `throw`, which the linter reserves for errors; an async host's throw is the same.
    const authorizeRequest: Authorize = () => Promise.reject(elsewhere);
    expect(await create({ authorizeRequest })).toMatchObject({ status: 302, written: 0 });
  });

  it("S0-154 a thrown WorkflowError is answered with its code", async () => {
    const refusal = new WorkflowError("FORBIDDEN", "Only admins.", { role: "guest" });
    const authorizeRequest: Authorize = () => {
      throw refusal;
    };
    const answer = await create({ authorizeRequest });
    expect(answer).toMatchObject({ status: 403, code: "FORBIDDEN", written: 0 });
    expect(answer.body).toMatchObject({
      message: "Only admins.",
      error: { details: { role: "guest" } },
    });
  });

  it("S0-154 any other throw refuses, tells the log why, and the caller nothing", async () => {
    const client = createTestingClient({
      authorizeRequest: async () => {
        throw new TypeError("session database is at 10.0.0.3");
      },
    });
    const answer = await client.send("POST", INSTANCES, { id: "a" });
    expect(answer).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
    expect(JSON.stringify(answer.body)).not.toContain("10.0.0.3");
    expect(client.service.countCreated()).toBe(0);
    const fields = { code: "UNAUTHORIZED", errorMessage: "session database is at 10.0.0.3" };
    expect(client.log).toMatchObject([{ level: "warn", event: "http.refused", fields }]);
  });

  it.each([false, null, true, 0, "", {}])("a verdict of %j is not a yes", async (verdict) => {
    // A host in plain JavaScript can return anything.
    const authorizeRequest = (() => verdict) as unknown as Authorize;
    expect(await create({ authorizeRequest })).toMatchObject({ code: "UNAUTHORIZED", written: 0 });
  });

  it("sees headers, params and the body, which the route still reads", async () => {
    const seen: unknown[] = [];
    const client = createTestingClient({
      authorizeRequest: async ({ request, params, readBody }) => {
        seen.push(request.headers.get("x-user"), params);
        seen.push(new TextDecoder().decode(await readBody()));
      },
    });
    await client.send("POST", INSTANCES, { id: "a" });
    await client.send("POST", `${INSTANCES}/a/events`, { type: "t" }, { "x-user": "me" });
    expect(seen).toEqual([
      null,
      { workflowName: "ORDER" },
      '{"id":"a"}',
      "me",
      { workflowName: "ORDER", instanceId: "a" },
      '{"type":"t"}',
    ]);
  });

  it("the body that a host reads is limited too", async () => {
    const options: FetchHandlerOptions = {
      limits: { maxBodyBytes: 5 },
      authorizeRequest: async ({ readBody }) => {
        await readBody();
      },
    };
    expect(await create(options)).toMatchObject({ code: "PAYLOAD_TOO_LARGE", written: 0 });
  });

  it("a host that uses up the request's own body gets a clear line in its log", async () => {
    const client = createTestingClient({
      authorizeRequest: async ({ request }) => {
        await request.text();
      },
    });
    const answer = await client.send("POST", INSTANCES, { id: "a" });
    expect(answer).toMatchObject({ status: 500, code: "INVARIANT_BROKEN" });
    expect(client.log).toMatchObject([
      { fields: { errorMessage: expect.stringContaining("readBody()") } },
    ]);
  });
});

describe("policies", () => {
  it.each(POLICIES)("S0-155 %s guards its own routes and no others", async (policy) => {
    const asked: string[] = [];
    const refused: string[] = [];
    const policies = {
      [policy]: (context: AuthorizeContext) => {
        asked.push(context.routeName);
        throw new TypeError("no");
      },
    };
    const client = createTestingClient({ policies });
    await client.service.createInstance("ORDER", { id: "a" });
    for (const [name, route] of listRoutes()) {
      const path = route.path.replace(":workflowName", "ORDER").replace(":instanceId", "a");
      const answer = await client.send(route.method, path, undefined, bearer);
      if (answer.code === "FORBIDDEN") refused.push(name);
    }
    const guarded = listRoutes().filter(([, route]) => [route.policy, route.also].includes(policy));
    expect(asked).toEqual(guarded.map(([name]) => name));
    expect(refused).toEqual(asked);
  });

  it("S0-155 a policy is asked after authorizeRequest, and only if that lets pass", async () => {
    const order: string[] = [];
    const note = (word: string, verdict?: Response): Authorize => {
      return () => {
        order.push(word);
        return verdict;
      };
    };
    const policies = { create: note("policy") };
    await create({ authorizeRequest: note("request"), policies });
    await create({ authorizeRequest: note("refusal", new Response()), policies });
    expect(order).toEqual(["request", "policy", "refusal"]);
  });

  it("S0-155 a policy cannot open a tick route that has no secret", async () => {
    const options = { tick: {}, policies: { tick: () => undefined } };
    const answer = await createTestingClient(options).send("POST", "/_runner/tick", {}, bearer);
    expect(answer).toMatchObject({ status: 404, code: "TICK_DISABLED" });
  });
});
