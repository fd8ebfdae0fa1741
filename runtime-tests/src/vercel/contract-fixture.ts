/** The contract's application behind Vercel's requests, its request context, and a stand-in for Queues that knows its limits. */
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { AdapterFixture, AdapterWake, FixtureOptions } from "@escapement/adapter-contract";
import {
  CONTRACT_ACCESS,
  CONTRACT_TICK,
  CONTRACT_WORKFLOWS,
  createClock,
  createFaults,
  withProbes,
} from "@escapement/adapter-contract/app";
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createVercelPlatform, handler, vercelQueue, wakeHandler } from "@escapement/vercel";

const TICK = "/api/workflows/_runner/tick";
const TOKEN = "header.payload.signature";
const TOPIC = "escapement";
const MAX_RETENTION_SECONDS = 604_800;
/** What the adapter asks for at most: it leaves an hour in which the message can be delivered. */
export const MAX_DELAY_SECONDS = 601_200;
/** A request that comes in so late in an invocation that what it makes due is better begun in another one. */
export const LATE_MS = 9000;
export const USUAL_MS = 300_000;

/** @source the package @vercel/functions 3.9.9: get-context, wait-until, deadline; read 2026-11-21 */
interface RequestContext {
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly deadline: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** As Vercel keeps the context of each request apart in a process that takes many. */
const contexts = new AsyncLocalStorage<RequestContext>();
Object.assign(globalThis, {
  [Symbol.for("@vercel/request-context")]: { get: () => contexts.getStore() },
});

/** One invocation, up to the end of all that `waitUntil` was given. */
export async function invoke(
  run: ReturnType<typeof handler>,
  request: Request,
  endsAt: number,
): Promise<Response> {
  const pending: Promise<unknown>[] = [];
  const context: RequestContext = {
    waitUntil: (work) => void pending.push(work),
    deadline: endsAt,
    headers: { "x-vercel-oidc-token": TOKEN },
  };
  const answer = await contexts.run(context, () => run(request));
  for (let work = pending.pop(); work !== undefined; work = pending.pop()) await work;
  return answer;
}

/** A service of Vercel that keeps what it is sent. */
export interface Service {
  readonly url: string;
  readonly sent: { readonly request: IncomingMessage; readonly body: string }[];
  readonly faults: string[];
  readonly acknowledged: string[];
  /** Told of each lease that is asked to last so long from now. */
  onExtended: (leaseSeconds: number) => void;
  isDown: boolean;
  stop(): Promise<void>;
}

export async function startService(
  findFault: (request: IncomingMessage) => string | null,
): Promise<Service> {
  const keys = new Set<string>();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const fault = findFault(request);
    if (fault !== null) service.faults.push(fault);
    const status = service.isDown ? 503 : fault === null ? 201 : 400;
    const key = request.headers["vqs-idempotency-key"];
    const isNew = key === undefined || !keys.has(String(key));
    if (status === 201 && request.method === "POST" && isNew) {
      if (key !== undefined) keys.add(String(key));
      service.sent.push({ request, body });
    }
    if (request.method === "PATCH" && status === 201) service.onExtended(readLease(body));
    if (request.method === "DELETE") service.acknowledged.push(request.url ?? "");
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ messageId: "m" }));
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const service: Service = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: [],
    faults: [],
    acknowledged: [],
    onExtended: () => {},
    isDown: false,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return service;
}

/** @source vercel.com/docs/queues/api, by the package @vercel/queue 0.6.0, read 2026-11-22 */
function readLease(body: string): number {
  const { visibilityTimeoutSeconds: seconds } = JSON.parse(body) as Record<string, unknown>;
  if (typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 0 && seconds <= 3600)
    return seconds;
  throw new TypeError(`a lease of ${body}`);
}

/** @source vercel.com/docs/queues/api, read 2026-11-21; /docs/queues/concepts, 2026-06-30: no delay as long as the retention */
export function findQueueFault({ headers, method, url }: IncomingMessage): string | null {
  if (headers.authorization !== `Bearer ${TOKEN}`) return "no token";
  if (headers["vqs-deployment-id"] !== undefined) return "pinned to a deployment";
  const path = `/api/v3/topic/${TOPIC}`;
  if (method === "DELETE" || method === "PATCH")
    return url === `${path}/consumer/api_Swake_Dts/lease/receipt-1` ? null : `what is ${url}`;
  if (method !== "POST" || url !== path) return `what is ${method} ${url}`;
  const [delay, retention] = ["vqs-delay-seconds", "vqs-retention-seconds"].map((name) =>
    Number(headers[name]),
  );
  const isInRange = (value = Number.NaN, min = 0): boolean =>
    Number.isInteger(value) && value >= min && value <= MAX_RETENTION_SECONDS;
  const isWithin =
    isInRange(delay) && isInRange(retention, 60) && Number(delay) < Number(retention);
  return isWithin ? null : `delay ${delay}, retention ${retention}`;
}

/** @source `vercel dev` 60.1.3, which delivers this way; the package @vercel/queue 0.6.0, which reads it so */
export const toDelivery = (
  body: string,
  type = "com.vercel.queue.v2beta",
  leaseMs = 60_000,
): Request =>
  new Request("https://internal.vercel.app/api/wake", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "ce-type": type,
      "ce-specversion": "1.0",
      "ce-vqsqueuename": TOPIC,
      "ce-vqsconsumergroup": "api_Swake_Dts",
      "ce-vqsmessageid": "message-1",
      "ce-vqsreceipthandle": "receipt-1",
      "ce-vqsdeliverycount": "1",
      "ce-vqsvisibilitydeadline": new Date(Date.now() + leaseMs).toISOString(),
    },
    body,
  });

/** How work goes on in other invocations. */
export interface Kind {
  readonly requestMs: number;
  readonly findFault: (request: IncomingMessage) => string | null;
  readonly options: (url: string) => Parameters<typeof createVercelPlatform>[0];
}

/** Wakes and hand-overs by Queues. @param requestMs what is left of an invocation when a request comes in */
export const byQueue = (requestMs: number): Kind => ({
  requestMs,
  findFault: findQueueFault,
  options: (baseUrl) => ({ queue: vercelQueue({ topic: TOPIC, baseUrl }) }),
});

const BYPASS = "bypass-secret-of-the-project";
/** Hand-overs by a call of the own tick route. */
export const BY_SELF_CALL: Kind = {
  requestMs: LATE_MS,
  findFault: ({ headers, method, url }) =>
    method === "POST" && url === TICK && headers["x-vercel-protection-bypass"] === BYPASS
      ? null
      : `what is ${method} ${url}`,
  options: (url) => ({
    selfCall: {
      url: `${url}${TICK}`,
      signingKeys: CONTRACT_TICK.signingKeys,
      headers: { "x-vercel-protection-bypass": BYPASS },
    },
  }),
};

export async function openFixture(kind: Kind, options: FixtureOptions): Promise<AdapterFixture> {
  const service = await startService(kind.findFault);
  service.isDown = options.losesWakes;
  const now = createClock(options.clockOffMs);
  const faults = createFaults(options.database);
  const { logger } = faults;
  const platform = createVercelPlatform({ ...kind.options(service.url), now, logger });
  const engine = withProbes(
    createEngine({
      workflows: CONTRACT_WORKFLOWS,
      store: faults.wrapStore(createMemoryStore()),
      platform,
      logger,
      host: { now },
      http: { ...CONTRACT_ACCESS, now },
    }),
    faults,
  );
  const tick = options.hasTickSecrets ? CONTRACT_TICK : {};
  const take = handler(engine, { platform, tick });
  const takeWake = wakeHandler(engine, { platform });
  const requestMs = options.losesWakes ? LATE_MS : kind.requestMs;
  const send = (request: Request, remainingMs = requestMs): Promise<Response> =>
    invoke(take, request, now() + remainingMs);
  const toWake = ({ request, body }: Service["sent"][number]): AdapterWake => {
    const delaySeconds = Number(request.headers["vqs-delay-seconds"] ?? 0);
    return {
      at: delaySeconds === 0 ? null : Date.now() + delaySeconds * 1000,
      deliver: async ({ remainingMs = USUAL_MS } = {}) => {
        const answer =
          request.url === TICK
            ? await send(toSelfCall(request), remainingMs)
            : await invoke(takeWake, toDelivery(body), now() + remainingMs);
        if (!answer.ok) throw new TypeError(`status ${answer.status}`);
      },
    };
  };
  return {
    call: ({ method, path, headers, body }) =>
      send(new Request(`https://orders.example.com${path}`, { method, headers, body })),
    // @source vercel.com/docs/cron-jobs/manage-cron-jobs, read 2026-11-21
    safetyTick: async () => {
      const headers = {
        "user-agent": "vercel-cron/1.0",
        "x-vercel-cron-schedule": "* * * * *",
        authorization: `Bearer ${CONTRACT_TICK.bearerSecret}`,
      };
      await send(new Request(`https://orders.example.com${TICK}`, { headers }), USUAL_MS);
    },
    takeWakes: () => service.sent.splice(0).map(toWake),
    deliverUnknown: () => invoke(takeWake, toDelivery("{}", "com.vercel.other"), now() + USUAL_MS),
    teardown: async () => {
      await service.stop();
      if (service.faults.length > 0) throw new TypeError(service.faults.join(", "));
    },
  };
}

const toSelfCall = (request: IncomingMessage): Request => {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return new Request(`https://orders.example.com${TICK}`, {
    method: "POST",
    headers: Object.fromEntries(headers) as Record<string, string>,
  });
};
