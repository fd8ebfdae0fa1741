/** Every route of the table, called by someone whom one of its policies refuses, and with paths that only look like its own. */
import { describe, expect, it } from "vitest";
import type { Authorize } from "./access.ts";
import { createFetchHandler } from "./fetch-handler.ts";
import type { FetchHandlerOptions } from "./options.ts";
import type { HttpRoute, RoutePolicy } from "./route.ts";
import { listRoutes } from "./routes.ts";
import type { RouteName } from "./route-types.ts";
import { type Answer, TESTING_SECRET, toAnswer } from "./testing-client.ts";
import { BODIES } from "./testing-route-causes.ts";
import { createTestingService, signTestingToken } from "./testing-service.ts";

const allow: Authorize = () => undefined;
const refuse: Authorize = () => {
  throw new TypeError("not for you");
};

/** In the params, the memo and an event of the scene's instance. */
const SECRET = "what-only-some-may-see";

type Policies = Partial<Record<RoutePolicy, Authorize>>;

const ALL: Policies = {
  create: allow,
  manage: allow,
  delete: allow,
  events: allow,
  read: allow,
  view: allow,
};

const without = (policy: RoutePolicy): Policies => {
  const { [policy]: _missing, ...others } = ALL;
  return others;
};

const BEARER = { authorization: `Bearer ${TESTING_SECRET}` };
const EVERY: Readonly<Record<RoutePolicy, Authorize>> = {
  create: refuse,
  manage: refuse,
  delete: refuse,
  events: refuse,
  read: refuse,
  view: refuse,
  payloads: refuse,
  tick: refuse,
  callback: refuse,
};

interface Scene {
  /** Nothing of the service is called unless a test allows it. */
  readonly ask: (method: string, path: string, init?: RequestInit) => Promise<Answer>;
  readonly opened: () => void;
}

/** An instance waits and has an event, and a bulk job has begun. The service fails until it is opened. */
async function openScene(options: FetchHandlerOptions): Promise<Scene> {
  const service = createTestingService();
  await service.createInstance("ORDER", { id: "a", params: SECRET, memo: SECRET });
  await service.tick();
  await service.sendEvent("ORDER", "a", { type: "t", eventId: "e", payload: SECRET });
  await service.startBulk({ act: "retry", tag: "none", id: "j" });
  service.failWith(new Error("asked"));
  const logger = { log: (): void => undefined };
  const tick = { bearerSecret: TESTING_SECRET };
  const handler = createFetchHandler(service, { tick, logger, ...options });
  return {
    opened: () => service.failWith(null),
    ask: async (method, path, init) => {
      const url = `http://host.test/api/workflows${path}`;
      return toAnswer(await handler(new Request(url, { method, ...init })));
    },
  };
}

async function toPath({ path }: HttpRoute): Promise<string> {
  return path
    .replace(":workflowName", "ORDER")
    .replace(":instanceId", "a")
    .replace(":bulkId", "j")
    .replace(":eventId", "e")
    .replace(":topic", "placed")
    .replace(":token", await signTestingToken());
}

function toInit(name: RouteName, { policy }: HttpRoute, accept = "*/*"): RequestInit {
  const headers = { accept, ...(policy === "tick" ? BEARER : {}) };
  const body = BODIES[name];
  return body === undefined
    ? { headers }
    : {
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body),
      };
}

const STREAMS = ["application/json", "application/x-ndjson", "text/event-stream"];
const ROUTES = listRoutes();
/** Each policy that guards a route, with each kind of answer. */
const GUARDED = ROUTES.flatMap(([name, route]) =>
  [route.policy, route.also].flatMap((policy) =>
    policy === undefined || policy === "tick" || policy === "callback"
      ? []
      : (route.streams ? STREAMS : ["*/*"]).map((accept) => ({ name, route, policy, accept })),
  ),
);

describe("every route and each of its policies", () => {
  it.each(GUARDED)(
    "S5-040 $name is closed where nobody says who has $policy ($accept)",
    async ({ name, route, policy, accept }) => {
      const { ask } = await openScene({ policies: without(policy) });
      const path = await toPath(route);
      expect(await ask(route.method, path, toInit(name, route, accept))).toMatchObject({
        status: 401,
        code: "UNAUTHORIZED",
      });
    },
  );

  it.each(GUARDED)(
    "S5-040 $name is refused to who has all but $policy ($accept)",
    async ({ name, route, policy, accept }) => {
      const { ask } = await openScene({ policies: { ...ALL, [policy]: refuse } });
      const path = await toPath(route);
      expect(await ask(route.method, path, toInit(name, route, accept))).toMatchObject({
        status: 403,
        code: "FORBIDDEN",
      });
    },
  );

  it.each(ROUTES.map(([name, route]) => ({ name, route })))(
    "S5-040 $name is open to who has all of them",
    async ({ name, route }) => {
      const { ask, opened } = await openScene({ policies: ALL });
      opened();
      const answer = await ask(route.method, await toPath(route), toInit(name, route));
      // The service's own answer: for some routes, there is nothing to do.
      expect([401, 403]).not.toContain(answer.status);
    },
  );
});

describe("every route to a caller whom the policy payloads refuses", () => {
  it.each(ROUTES.map(([name, route]) => ({ name, route })))(
    "S5-040 $name tells no payload",
    async ({ name, route }) => {
      const { ask, opened } = await openScene({ policies: { ...ALL, payloads: refuse } });
      opened();
      const path = `${await toPath(route)}${name === "listHistory" ? "?payloads=full" : ""}`;
      const answer = await ask(route.method, path, toInit(name, route));
      expect(JSON.stringify(answer.body)).not.toContain(SECRET);
    },
  );
});

/** Spellings of a path that a router and its guard could read differently. */
const SPELLINGS: readonly (readonly [string, (path: string) => string])[] = [
  ["as it is", (path) => path],
  ["a slash at its end", (path) => `${path}/`],
  ["two slashes at its end", (path) => `${path}//`],
  ["two slashes at its beginning", (path) => `/${path}`],
  ["a dot segment", (path) => `/.${path}`],
  ["a way back", (path) => `/x/..${path}`],
  ["an encoded way back", (path) => `/x/%2e%2e${path}`],
  ["an encoded letter", (path) => path.replace(/[a-z]/u, (letter) => `%${code(letter)}`)],
  ["encoded slashes", (path) => `/${path.slice(1).replaceAll("/", "%2f")}`],
  ["backslashes", (path) => path.replaceAll("/", "\\")],
  ["capitals", (path) => path.toUpperCase()],
  ["a parameter", (path) => `${path};a=b`],
  ["a query", (path) => `${path}?_method=GET&x-http-method-override=GET`],
  ["a NUL", (path) => `${path}%00`],
];
const code = (letter: string): string => letter.charCodeAt(0).toString(16);

const METHODS = ["GET", "HEAD", "POST", "DELETE", "PUT"] as const;

describe("ways around a refusal", () => {
  it.each(SPELLINGS)("%s opens no route by any method", async (_name, spell) => {
    const { ask } = await openScene({ policies: EVERY });
    for (const [, route] of ROUTES) {
      const path = spell(await toPath(route));
      for (const method of METHODS) {
        const answer = await ask(method, path, {
          headers: { "x-http-method-override": route.method, "x-original-url": "/health" },
        });
        expect([401, 403, 404, 405, 400], `${method} ${path}`).toContain(answer.status);
        expect(JSON.stringify(answer.body)).not.toContain("asked");
      }
    }
  });

  it("no answer lets a page of another origin read it", async () => {
    const { ask, opened } = await openScene({ policies: ALL });
    opened();
    for (const [name, route] of ROUTES)
      for (const method of [route.method, "OPTIONS"]) {
        const headers = new Headers(toInit(name, route).headers);
        headers.set("origin", "https://evil.test");
        headers.set("sec-fetch-site", "cross-site");
        const answer = await ask(method, await toPath(route), { headers });
        const told = [...answer.headers.keys()].filter((header) => header.includes("allow-origin"));
        expect(told, name).toEqual([]);
        const isChange = !["read", "view", "callback"].includes(route.policy);
        if (isChange && method !== "OPTIONS")
          expect(answer, name).toMatchObject({ status: 403, code: "CROSS_SITE_REQUEST" });
      }
  });
});
