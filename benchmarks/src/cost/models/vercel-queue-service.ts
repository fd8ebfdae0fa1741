/** Vercel Queues behind its REST API: delays, keys that drop duplicates, deliveries to one function, and what is billed. */
import type { wakeHandler } from "@escapement/vercel";
import { serveFetch } from "../../lateness/wake-path.ts";
import { createMessageQueue } from "../message-queue.ts";
import { type Scene, TRIP_MS, waitFor } from "../scene.ts";

const WAKE_URL = "https://app.vercel.app/api/wake";
/** @source vercel.com/docs/queues/pricing, copy of 2026-08-12 */
const LEASE_MS = 60_000;
/** `retryAfterSeconds` of the adapter's `vercel.json`. */
const RETRY_MS = 9000;

/** Makes the process's `fetch` reach only this. @param wake the function that is subscribed */
export function openQueueService(scene: Scene, wake: ReturnType<typeof wakeHandler>): void {
  const { time, meter, wakes } = scene;
  const keys = new Set<string>();
  const queue = createMessageQueue<string>(scene, {
    maxConcurrency: 10,
    batchSize: 1,
    leaseMs: LEASE_MS,
    deliver: async ([delivery]) => {
      if (delivery === undefined) return;
      meter.count("operations", 2);
      const { message, receipt } = delivery;
      const { status } = await wake(toDelivery(message, receipt, time.now() + LEASE_MS));
      if (status === 204) return;
      queue.holdFor(receipt, RETRY_MS);
      throw new TypeError(`a wake was answered with ${status}`);
    },
  });
  serveFetch(async (request) => {
    await waitFor(TRIP_MS);
    const key = request.headers.get("vqs-idempotency-key");
    meter.count("operations", key === null ? 1 : 2);
    const receipt = new URL(request.url).pathname.split("/").at(-1) ?? "";
    if (request.method === "DELETE") {
      queue.acknowledge(receipt);
      return new Response(null, { status: 204 });
    }
    if (request.method === "PATCH") {
      const { visibilityTimeoutSeconds } = (await request.json()) as VisibilityChange;
      const isHeld = queue.holdFor(receipt, visibilityTimeoutSeconds * 1000);
      return Response.json({ success: isHeld }, { status: isHeld ? 200 : 404 });
    }
    const delaySeconds = Number(request.headers.get("vqs-delay-seconds"));
    wakes?.asked(delaySeconds === 0 ? null : time.now() + delaySeconds * 1000);
    const isNew = key === null || !keys.has(key);
    if (key !== null) keys.add(key);
    if (isNew) queue.send(await request.text(), delaySeconds);
    return Response.json({}, { status: 201 });
  });
}

interface VisibilityChange {
  readonly visibilityTimeoutSeconds: number;
}

const toDelivery = (body: string, receipt: string, leaseEndsAt: number): Request =>
  new Request(WAKE_URL, {
    method: "POST",
    body,
    headers: {
      "ce-type": "com.vercel.queue.v2beta",
      "ce-vqsconsumergroup": "wake",
      "ce-vqsreceipthandle": receipt,
      "ce-vqsregion": "iad1",
      "ce-vqsvisibilitydeadline": new Date(leaseEndsAt).toISOString(),
    },
  });
