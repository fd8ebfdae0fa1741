import { expect, test } from "vitest";
import { IDLE_TICK } from "./drive.ts";
import { createLoopPlatform } from "./loop-platform.ts";

const tick = async (): Promise<typeof IDLE_TICK> => IDLE_TICK;

function start(stopLoop: () => Promise<void>): {
  readonly order: string[];
  readonly running: ReturnType<ReturnType<typeof createLoopPlatform>["start"]>;
} {
  const order: string[] = [];
  const stop = (): Promise<void> => {
    order.push("loop");
    return stopLoop();
  };
  const server = {
    close: async (): Promise<void> => void order.push("server"),
  };
  const platform = createLoopPlatform({ pollMs: 1, graceMs: 0 }, process);
  platform.attach({ tick, startLoop: () => ({ stop }) });
  return { order, running: platform.start({ server }) };
}

test("the server is closed after the loop, once, however often stopping is asked for", async () => {
  const { order, running } = start(async () => undefined);
  await Promise.all([running.stop(), running.stop(), running.stopped]);
  expect(order).toEqual(["loop", "server"]);
});

test("a loop that cannot be stopped leaves no server open, and is told of", async () => {
  const { order, running } = start(() => Promise.reject(new TypeError("the database is away")));
  await expect(running.stop()).rejects.toThrow("the database is away");
  expect(order).toEqual(["loop", "server"]);
});

test("without an engine, and with one that only ticks, nothing is started, and that is told by code", () => {
  const platform = createLoopPlatform({ pollMs: 1, graceMs: 0 }, process);
  const refused = expect.objectContaining({ code: "WAKE_FAILED" }) as Error;
  expect(() => platform.start()).toThrow(refused);
  platform.attach({ tick });
  expect(() => platform.start()).toThrow(refused);
});

test("an option that nothing reads is refused, with the one that was most likely meant", () => {
  const options = { handleSignal: true } as object;
  expect(() => createLoopPlatform(options, process)).toThrow(
    expect.objectContaining({
      code: "UNKNOWN_OPTION",
      message: '"handleSignal" is not an option of the platform; did you mean "handleSignals"?',
    }) as Error,
  );
});

test("S5-045 a server given in place of an option is refused, as nothing would close it", () => {
  const platform = createLoopPlatform({}, process);
  const server = { url: "http://127.0.0.1:3000", close: async (): Promise<void> => {} };
  expect(() => platform.start(server as never)).toThrow(
    '"url" is not an option of platform.start; expected server',
  );
  expect(() => platform.start({ server: Promise.resolve(server) as never })).toThrow(
    'the option "server" cannot be closed; expected what `await serve(…)` returns',
  );
});
