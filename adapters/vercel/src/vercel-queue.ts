/** Vercel Queues over its REST API, as the port that exact wakes and hand-overs go through. */
import type { DelayQueue } from "@escapement/engine/drive";
import { WorkflowError } from "@escapement/engine/errors";
import { readContext } from "./request-context.ts";

/** Carries wakes to the wake function. */
export interface WakeQueue extends DelayQueue {
  /** Takes the message that was delivered with these headers off the queue. @throws WAKE_FAILED; it is delivered again */
  acknowledge(delivery: Headers): Promise<void>;
}

export interface QueueOptions {
  /** The topic that the wake function is subscribed to: letters, digits, `-` and `_`. @default "escapement" */
  readonly topic?: string;
  /** Vercel region that keeps the messages: `VERCEL_REGION`. @default "iad1" */
  readonly region?: string | undefined;
  /** `VERCEL_QUEUE_BASE_URL`, which `vercel dev` sets. @default the region's */
  readonly baseUrl?: string | undefined;
  /** @default the OIDC token that Vercel gives each request */
  readonly token?: string | undefined;
}

/** Of delay and retention. @source vercel.com/changelog/queues-now-supports-7-day-ttl, read 2026-11-21 */
const MAX_DELAY_SECONDS = 604_800;
/** A wake must fit into what is left of an invocation. */
const TIMEOUT_MS = 5000;
/** A message is kept for so long after it is due, in case nobody can take it then. */
const KEPT_SECONDS = 3600;

/**
 * Messages are not pinned to a deployment, so that a run that slept through one is woken in the code of today.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 * @source vercel.com/docs/queues/api and the package @vercel/queue 0.6.0, read 2026-11-21
 */
export function vercelQueue(options: QueueOptions = {}): WakeQueue {
  const { topic = "escapement", region = "iad1", baseUrl, token } = options;
  if (!/^[\w-]+$/.test(topic) || !REGION.test(region))
    throw new WorkflowError("DEPLOY_OPTIONS_INVALID", "no topic or no region", { topic, region });
  const call = async (place: string, path: string, init: RequestInit): Promise<void> => {
    const bearer = token ?? readContext().headers?.["x-vercel-oidc-token"] ?? "";
    const headers = { ...(init.headers as object), authorization: `Bearer ${bearer}` };
    const url = `${baseUrl ?? `https://${place}.vercel-queue.com`}/api/v3/topic/${topic}${path}`;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(url, { redirect: "manual", ...init, headers, signal }).catch(fail);
    await answer.body?.cancel();
    // A lease that is none any more, 404 or 409, is another delivery's.
    const isGone = init.method === "DELETE" && (answer.status === 404 || answer.status === 409);
    if (!answer.ok && !isGone) fail(`status ${answer.status}`);
  };
  return {
    maxDelaySeconds: MAX_DELAY_SECONDS,
    send: (body, delaySeconds, key) => {
      const retention = Math.min(delaySeconds + KEPT_SECONDS, MAX_DELAY_SECONDS);
      const headers = {
        "content-type": "application/json",
        "vqs-delay-seconds": String(delaySeconds),
        "vqs-retention-seconds": String(retention),
        ...(key === null ? {} : { "vqs-idempotency-key": key }),
      };
      return call(region, "", { method: "POST", headers, body });
    },
    acknowledge: (delivery) => {
      const read = (name: string): string => encodeURIComponent(delivery.get(name) ?? "");
      const path = `/consumer/${read("ce-vqsconsumergroup")}/lease/${read("ce-vqsreceipthandle")}`;
      const place = read("ce-vqsregion");
      return call(REGION.test(place) ? place : region, path, { method: "DELETE" });
    },
  };
}

const REGION = /^[a-z]{2,5}\d{1,2}$/;

function fail(reason: unknown): never {
  throw new WorkflowError("WAKE_FAILED", `Vercel Queues: ${String(reason)}`, {}, reason);
}
