/** The Durable Object's side: requests go to the engine; alarms and the safety net begin ticks. */
import type { Platform, TickOutput } from "@escapement/engine";
import { type FetchEngine, TICK_PATH } from "@escapement/engine/adapter";
import { type CloudflarePlatformOptions, createCloudflarePlatform } from "./platform.ts";
import type { ObjectContext } from "./workers-runtime.ts";

/** The host, to which the methods of the class pass their calls. */
export interface ObjectHost<TEngine extends FetchEngine = FetchEngine> {
  readonly engine: TEngine;
  fetch(request: Request): Promise<Response>;
  /** @throws like `CloudflarePlatform.alarm` */
  alarm(): Promise<void>;
  /** Called by the Worker's cron. @throws like `CloudflarePlatform.tick` */
  tick(): Promise<TickOutput>;
}

/** The binding of a class of Durable Objects whose methods are those of its `ObjectHost`. */
export interface ObjectNamespace {
  getByName(name: string): Pick<ObjectHost, "fetch" | "tick">;
}

/**
 * Makes an object run workflows. Call it in the constructor, or in a field of the class.
 *
 * @param open creates the engine with this platform, on the object's own storage, D1, or any other store
 */
export function host<TEngine extends FetchEngine>(
  ctx: ObjectContext,
  open: (platform: Platform) => TEngine,
  options: CloudflarePlatformOptions = {},
): ObjectHost<TEngine> {
  const platform = createCloudflarePlatform(ctx, options);
  const engine = open(platform);
  return {
    engine,
    fetch: async (request) => {
      const response = await engine.fetch(request);
      await drain(request);
      const isTick = new URL(request.url).pathname.endsWith(TICK_PATH);
      // Such a tick sets no alarm for the work it leaves.
      if (isTick && response.ok) await platform.wakeNow(AFTER_TICK);
      await platform.armed();
      return response;
    },
    alarm: () => platform.alarm(),
    tick: () => platform.tick(),
  };
}

const AFTER_TICK = { workflowName: null, instanceId: null, reason: "wake" } as const;

/** With more than this, a caller may see its connection end. It is more than any body that the API accepts. */
const MAX_DRAIN = { bytes: 8 * 1024 * 1024, ms: 5000 };

/**
 * Reads the rest of a request that an answer did not need, such as the body of a refused call. Otherwise the Worker that passes it on
 * fails after the answer: "Can't read from request stream after response has been sent", and `wrangler dev` sends 503 instead of the
 * answer. Measured with wrangler 4.86 and workerd 1.20260426; cancelling is not enough.
 *
 * A reader's `cancel` ends reading from a sender that has gone silent. The signal of `pipeTo` does not, because it is only checked when
 * bytes arrive.
 */
async function drain({ body, bodyUsed }: Request): Promise<void> {
  if (body === null || bodyUsed) return;
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const giveUp = (): void => void reader.cancel().catch(() => undefined);
  const timer = setTimeout(giveUp, MAX_DRAIN.ms);
  try {
    for (let leftBytes = MAX_DRAIN.bytes; leftBytes >= 0;) {
      const { done, value } = await reader.read();
      if (done) return;
      leftBytes -= value.byteLength;
    }
    giveUp();
  } catch {
    // The sender has gone, or its request was given up.
  } finally {
    clearTimeout(timer);
  }
}
