/** Calls the HTTP API of a real engine, as a client on the network would. */
import { createEngine, defineWorkflow, type Engine, type EngineOptions } from "@escapement/engine";
import type { Store } from "../../../packages/engine/src/ports/store.ts";

const SECRET = "proof-secret-of-more-than-24-bytes";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface HttpClient {
  readonly get: (path: string) => Promise<Answer>;
  readonly post: (path: string, body?: unknown) => Promise<Answer>;
  readonly tick: () => Promise<Answer>;
}

/** Path of the instances of the workflow that `startApi` registers. */
export const INSTANCES = "/workflows/ORDER/instances";

export interface Api extends HttpClient {
  readonly engine: Engine;
  /** Params of the instances whose first body has run, in order. */
  readonly reserved: unknown[];
  /** Params of the instances whose second body has run, in order. */
  readonly shipped: unknown[];
}

export interface ApiOptions {
  readonly http?: EngineOptions<Record<string, never>>["http"];
  /** Awaited in each first body. */
  readonly hold?: () => Promise<void>;
}

/** An engine with the workflow ORDER: reserves, waits for `approve`, ships, and ends with what it was given. */
export function startApi(store: Store, { http, hold }: ApiOptions = {}): Api {
  const reserved: unknown[] = [];
  const shipped: unknown[] = [];
  const order = defineWorkflow({ name: "ORDER" }, async ({ payload }, step) => {
    await step.do("reserve", async () => {
      reserved.push(payload);
      await hold?.();
    });
    const approval = await step.waitForEvent("approval", { type: "approve" });
    await step.do("ship", () => {
      shipped.push(payload);
    });
    return { payload, approval: approval.payload };
  });
  const engine = createEngine({
    workflows: { order },
    store,
    logger: { log: () => {} },
    http: {
      tick: { bearerSecret: SECRET },
      authorizeRequest: () => undefined,
      ...http,
    },
  });
  return { engine, reserved, shipped, ...createHttpClient(engine.fetch) };
}

export function createHttpClient(
  fetch: Engine["fetch"],
  mountRoute = "/api/workflows",
): HttpClient {
  const headers = { "content-type": "application/json", authorization: `Bearer ${SECRET}` };
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const url = `http://host.test${mountRoute}${path}`;
    const response = await fetch(new Request(url, { headers, ...init }));
    return { status: response.status, body: await response.json() };
  };
  const post: HttpClient["post"] = (path, body) =>
    send(path, { method: "POST", ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return {
    get: (path) => send(path, { method: "GET" }),
    post,
    tick: () => post("/_runner/tick", {}),
  };
}
