import { type AttachedEngine, IDLE_TICK } from "@escapement/engine/adapter";
import { expect, test, vi } from "vitest";
import { createBunPlatform, type BunPlatformOptions } from "./platform.ts";

interface Net {
  /** Called by Bun's cron. */
  readonly fire: () => Promise<void>;
  readonly stopped: () => boolean;
  readonly cron: string;
}

/** A runtime with only `Bun.cron`. */
function stubBun(): () => Net {
  let net: Net | null = null;
  vi.stubGlobal("Bun", {
    cron: (cron: string, fire: () => Promise<void>) => {
      let isStopped = false;
      net = { cron, fire, stopped: () => isStopped };
      return { stop: () => (isStopped = true) };
    },
  });
  return () => {
    if (net === null) throw new TypeError("no cron was registered");
    return net;
  };
}

function open(tick: AttachedEngine["tick"], options: BunPlatformOptions = {}) {
  const platform = createBunPlatform(options);
  platform.attach({ tick, startLoop: () => ({ stop: async () => undefined }) });
  return platform;
}

test("a tick of the net that fails is logged and ends nothing; the next one ticks again", async () => {
  const netOf = stubBun();
  const log: string[] = [];
  let failures = 1;
  const logger = { log: (_level: string, event: string) => void log.push(event) };
  const tick = async (): Promise<typeof IDLE_TICK> => {
    failures -= 1;
    if (failures >= 0) throw new TypeError("the database is away");
    return IDLE_TICK;
  };
  const running = open(tick, { logger }).start();
  await expect(netOf().fire()).resolves.toBeUndefined();
  expect(log).toEqual(["cron.tick_failed"]);
  await netOf().fire();
  expect([log.length, failures]).toEqual([1, -1]);
  await running.stop();
});

test("the net is there each minute, and taken away before the server is closed", async () => {
  const netOf = stubBun();
  const order: string[] = [];
  const server = {
    close: async () => {
      order.push(netOf().stopped() ? "closed behind the net" : "closed before the net");
    },
  };
  const running = open(async () => IDLE_TICK).start({ server });
  expect([netOf().cron, netOf().stopped()]).toEqual(["* * * * *", false]);
  await running.stop();
  expect(order).toEqual(["closed behind the net"]);
});

test("without an engine nothing is started, not even the net", () => {
  const netOf = stubBun();
  const refused = expect.objectContaining({ code: "WAKE_FAILED" }) as Error;
  expect(() => createBunPlatform().start()).toThrow(refused);
  expect(netOf).toThrow("no cron was registered");
});
