/** The Durable Object's side: requests to the engine, alarms and the safety net to ticks. */
import type { Platform, TickOutput } from "@escapement/engine";
import { type FetchEngine, TICK_PATH } from "@escapement/engine/adapter";
import { type CloudflarePlatformOptions, createCloudflarePlatform } from "./platform.ts";
import type { ObjectContext } from "./workers-runtime.ts";

/** The host, to which the methods of the class pass their calls. */
export interface ObjectHost<TEngine extends FetchEngine = FetchEngine> {
  readonly engine: TEngine;
  fetch(request: Request): Promise<Response>;
  /** @throws as `CloudflarePlatform.alarm` */
  alarm(): Promise<void>;
  /** What the Worker's cron calls. @throws as `CloudflarePlatform.tick` */
  tick(): Promise<TickOutput>;
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
      // Such a tick sets no alarm for what it leaves.
      if (isTick && response.ok) await platform.wakeNow(AFTER_TICK);
      await platform.armed();
      return response;
    },
    alarm: () => platform.alarm(),
    tick: () => platform.tick(),
  };
}

const AFTER_TICK = { workflowName: null, instanceId: null, reason: "wake" } as const;

/** Beyond them a caller may see its connection end. */
const MAX_DRAIN = { bytes: 1024 * 1024, ms: 5000 };

/**
 * Reads to its end what an answer did not need, such as the body of a call that was refused. Whoever passes it on fails
 * otherwise once the answer is there: "Can't read from request stream after response has been sent", and under `wrangler dev`
 * 503 in the answer's place. Measured with wrangler 4.86 and workerd 1.20260426; cancelling is not enough.
 */
async function drain({ body, bodyUsed }: Request): Promise<void> {
  if (body === null || bodyUsed) return;
  let leftBytes = MAX_DRAIN.bytes;
  const write = ({ byteLength }: Uint8Array): void => {
    leftBytes -= byteLength;
    if (leftBytes < 0) throw new RangeError("too long");
  };
  const signal = AbortSignal.timeout(MAX_DRAIN.ms);
  await body.pipeTo(new WritableStream({ write }), { signal }).catch(() => undefined);
}
