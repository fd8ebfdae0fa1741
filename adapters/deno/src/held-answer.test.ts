/** A caller that aborts the tick that it asked for. The answer's bytes were what kept the instance alive. */
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answerHeld } from "./held-answer.ts";
import { createDenoPlatform, handler } from "./index.ts";

const SECRET = "bearer-secret-of-more-than-24-bytes";
const TICK = "http://127.0.0.1/api/workflows/_runner/tick";
const QUIET = { log: () => undefined };

const unhandled = vi.fn<(reason: unknown) => void>();
beforeEach(() => {
  unhandled.mockReset();
  process.on("unhandledRejection", unhandled);
});
afterEach(() => {
  process.off("unhandledRejection", unhandled);
  vi.useRealTimers();
});

/** As the runtime does after it has found unhandled rejections. */
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test.each(["before the first byte", "between two bytes"])(
  "S9-012 a caller that breaks off %s has nothing thrown, and no byte is tried once the work is done",
  async (when) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let finish = (_answer: Response): void => {};
    const { body } = answerHeld(new Promise((resolve) => (finish = resolve)));
    const reader = body?.getReader();
    if (when === "between two bytes") await reader?.read();
    await reader?.cancel("the caller has left");
    await vi.advanceTimersByTimeAsync(60_000);
    finish(Response.json({}));
    await nextTurn();
    await nextTurn();
    expect([vi.getTimerCount(), unhandled.mock.calls]).toEqual([0, []]);
  },
);

test("S9-012 an instance that is stopped because its caller broke off releases what it has in hand", async () => {
  const store = createMemoryStore();
  let begun = 0;
  const SLOW = defineWorkflow({ name: "slow" }, async (_event, step) =>
    step.do("wait", async () => {
      begun += 1;
      // The first never ends.
      if (begun === 1) await new Promise(() => undefined);
      return begun;
    }),
  );
  const options = { workflows: { SLOW }, store, logger: QUIET };
  const others = createEngine(options);
  await others.workflows.SLOW.create({ id: "s" });
  const deno = {
    cron: () => undefined,
    env: { get: () => undefined },
    addSignalListener: () => undefined,
    removeSignalListener: () => undefined,
    exit: () => undefined,
  };
  const platform = createDenoPlatform({ deno, logger: QUIET });
  const engine = createEngine({ ...options, platform });
  const instance = platform.start({ graceMs: 0 });
  const fetch = handler(engine, { platform, tick: { bearerSecret: SECRET }, logger: QUIET });
  const headers = { authorization: `Bearer ${SECRET}` };
  const { body } = await fetch(new Request(TICK, { method: "POST", headers }));
  await expect.poll(() => begun).toBe(1);
  await body?.cancel();
  await instance.stop();
  await others.tick();
  expect(await others.getInstance("slow", "s")).toMatchObject({
    details: { status: "complete", output: 2 },
  });
  const { steps } = await others.listHistory("slow", "s", {});
  expect(steps).toMatchObject([{ attempts: 1, lostAttempts: 1 }]);
  expect(unhandled.mock.calls).toEqual([]);
});
