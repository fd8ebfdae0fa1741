import { expect, test } from "vitest";
import { keepRunning } from "./keep-running.ts";

function start(stopLoop: () => Promise<void>): {
  readonly order: string[];
  readonly running: ReturnType<typeof keepRunning>;
} {
  const order: string[] = [];
  const stop = (): Promise<void> => {
    order.push("loop");
    return stopLoop();
  };
  const server = {
    close: async (): Promise<void> => void order.push("server"),
  };
  const engine = { startLoop: () => ({ stop }) };
  return { order, running: keepRunning(engine, { pollMs: 1, graceMs: 0, server }) };
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
