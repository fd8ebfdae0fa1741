/** Vercel Queues over its REST API, as the port for exact wakes and hand-overs. */
import type { LeasedQueue } from "@escapement/engine/adapter";
import { WorkflowError } from "@escapement/engine";
import { readContext } from "./request-context.ts";

/** The topic, and the address of Vercel Queues. */
export interface QueueOptions {
  /** The topic that the wake function is subscribed to: letters, digits, `-` and `_`. @default "escapement" */
  readonly topic?: string;
  /** The Vercel region that keeps the messages: `VERCEL_REGION`. @default "iad1" */
  readonly region?: string | undefined;
  /** `VERCEL_QUEUE_BASE_URL`, which `vercel dev` sets. @default the region's */
  readonly baseUrl?: string | undefined;
  /** @default the OIDC token that Vercel gives each request */
  readonly token?: string | undefined;
}

/** How long a message is kept after it is due, in case nothing can take it then. */
const KEPT_SECONDS = 3600;
/**
 * A message that is delayed for its whole 7 days is never delivered. @source vercel.com/docs/queues/concepts, 2026-06-30; /pricing,
 * 2026-08-12
 */
const MAX_DELAY_SECONDS = 604_800 - KEPT_SECONDS;
/** A wake, with a few repeats, must fit into the rest of an invocation. */
const TIMEOUT_MS = 2000;
/** With a shorter delay, a message of the same second may have been delivered already, and its key would drop this one. */
const MIN_KEYED_DELAY_SECONDS = 5;

/**
 * Creates a client of Vercel Queues, for the option `queue` of `createVercelPlatform`; `fromEnv` creates one by itself. Messages are
 * not pinned to a deployment, so a run that slept through a deployment is woken in the new code.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 * @source vercel.com/docs/queues/api and the package @vercel/queue 0.6.0, read 2026-11-21
 */
export function vercelQueue(options: QueueOptions = {}): LeasedQueue<Headers> {
  const { topic = "escapement", region = "iad1", baseUrl, token } = options;
  if (!/^[\w-]+$/.test(topic) || !REGION.test(region))
    throw new WorkflowError("DEPLOY_OPTIONS_INVALID", "no topic or no region", { topic, region });
  const call = async (place: string, path: string, init: RequestInit): Promise<Response> => {
    const bearer = token ?? readContext().headers?.["x-vercel-oidc-token"] ?? "";
    const headers = { ...(init.headers as object), authorization: `Bearer ${bearer}` };
    const url = `${baseUrl ?? `https://${place}.vercel-queue.com`}/api/v3/topic/${topic}${path}`;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(url, { redirect: "manual", ...init, headers, signal }).catch(fail);
    await answer.body?.cancel();
    return answer;
  };
  const callLease = (delivery: Headers, init: RequestInit): Promise<Response> => {
    const read = (name: string): string => encodeURIComponent(delivery.get(name) ?? "");
    const path = `/consumer/${read("ce-vqsconsumergroup")}/lease/${read("ce-vqsreceipthandle")}`;
    const place = read("ce-vqsregion");
    return call(REGION.test(place) ? place : region, path, init);
  };
  return {
    maxDelaySeconds: MAX_DELAY_SECONDS,
    send: async (body, delaySeconds, key) => {
      const isKeyed = key !== null && delaySeconds >= MIN_KEYED_DELAY_SECONDS;
      const headers = {
        ...JSON_BODY,
        "vqs-delay-seconds": String(delaySeconds),
        "vqs-retention-seconds": String(delaySeconds + KEPT_SECONDS),
        ...(isKeyed ? { "vqs-idempotency-key": key } : {}),
      };
      const { ok, status } = await call(region, "", { method: "POST", headers, body });
      if (!ok) fail(`status ${status}`);
    },
    acknowledge: async (delivery) => {
      const { ok, status } = await callLease(delivery, { method: "DELETE" });
      // A lease that no longer exists belongs to another delivery.
      if (!ok && status !== 404 && status !== 409) fail(`status ${status}`);
    },
    extend: async (delivery, leaseSeconds) => {
      const body = JSON.stringify({ visibilityTimeoutSeconds: leaseSeconds });
      const init = { method: "PATCH", headers: JSON_BODY, body };
      const { ok, status } = await callLease(delivery, init);
      const isRefused = status >= 400 && status < 500 && status !== 429;
      if (!ok && !isRefused) fail(`status ${status}`);
      return ok;
    },
  };
}

const JSON_BODY = { "content-type": "application/json" };
const REGION = /^[a-z]{2,5}\d{1,2}$/;

function fail(reason: unknown): never {
  throw new WorkflowError("WAKE_FAILED", `Vercel Queues: ${String(reason)}`, {}, reason);
}
