import { describe, expect, test } from "vitest";
import type { Logger } from "../ports/logger.ts";
import type { Platform, WakeHint } from "../ports/platform.ts";
import type { TickInput, TickOutput } from "../ports/tick.ts";
import { createDeferrals } from "./deferrals.ts";
import { IDLE_TICK, drive, type DriveOptions } from "./drive.ts";
import { createWakeArm } from "./wake-arm.ts";

const LEFT_WORK: TickOutput = {
  processed: 3,
  steps: 3,
  moreDue: true,
  nextWakeInMs: 9000,
  nextWakeAt: 1_009_000,
  thenWakeAt: null,
  quietMs: 0,
};

interface Scene {
  readonly ticks: TickInput[];
  readonly wakes: (readonly ["now" | number, WakeHint])[];
  readonly log: (readonly [event: string, fields: object])[];
}

async function driveOnce(
  output: TickOutput,
  options: DriveOptions = {},
  wakeError?: Error,
): Promise<Scene> {
  const scene: Scene = { ticks: [], wakes: [], log: [] };
  const wake = async (at: "now" | number, hint: WakeHint): Promise<void> => {
    if (wakeError !== undefined) throw wakeError;
    scene.wakes.push([at, hint]);
  };
  const platform: Platform = {
    defer: () => undefined,
    wakeNow: (hint) => wake("now", hint),
    wakeIn: wake,
    deadline: () => 5000,
  };
  const logger: Logger = { log: (_level, event, fields) => void scene.log.push([event, fields]) };
  const tick = async (input: TickInput = {}): Promise<TickOutput> => {
    scene.ticks.push(input);
    return output;
  };
  expect(await drive({ tick }, platform, { logger, ...options })).toBe(output);
  return scene;
}

describe("drive", () => {
  test("the tick gets the platform's deadline and the bounds asked for, and nothing else", async () => {
    const { ticks } = await driveOnce(IDLE_TICK, { lingerMs: 60_000, maxSteps: 7, hopCount: 2 });
    expect(ticks).toEqual([{ deadline: 5000, lingerMs: 60_000, maxSteps: 7 }]);
  });

  test("R4 work left after progress is handed over at once, one hop on", async () => {
    const more = { workflowName: null, instanceId: null, reason: "more" };
    expect((await driveOnce(LEFT_WORK)).wakes).toEqual([["now", { ...more, hopCount: 1 }]]);
    const { wakes } = await driveOnce(LEFT_WORK, { hopCount: 6 });
    expect(wakes).toEqual([["now", { ...more, hopCount: 7 }]]);
  });

  test("R4 without progress nothing is handed over, and the next due time is armed", async () => {
    const { wakes } = await driveOnce({ ...LEFT_WORK, processed: 0 });
    expect(wakes).toMatchObject([[9000, { reason: "wake", dueAt: 1_009_000 }]]);
    expect((await driveOnce({ ...IDLE_TICK, moreDue: true })).wakes).toEqual([]);
  });

  test("R2 with nothing due now the next due time is armed; with nothing ahead, nothing is", async () => {
    const { wakes } = await driveOnce({ ...LEFT_WORK, moreDue: false });
    expect(wakes).toMatchObject([[9000, { reason: "wake", dueAt: 1_009_000 }]]);
    expect((await driveOnce(IDLE_TICK)).wakes).toEqual([]);
  });

  test("a chain warns every hundred hops and ends at its limit, in the log by name", async () => {
    const long = await driveOnce(LEFT_WORK, { hopCount: 99 });
    expect(long.log).toEqual([["wake.long_chain", { hopCount: 100, maxHops: 1000 }]]);
    expect(long.wakes).toHaveLength(1);
    const ended = await driveOnce(LEFT_WORK, { hopCount: 5, maxHops: 5 });
    expect(ended).toMatchObject({ wakes: [], log: [["wake.too_many_hops", { maxHops: 5 }]] });
  });

  test.each([LEFT_WORK, { ...LEFT_WORK, moreDue: false }])(
    "R1 a wake that fails is logged and costs the tick nothing: %j",
    async (output) => {
      const { log } = await driveOnce(output, {}, new Error("the queue is away"));
      const fields = { code: "WAKE_FAILED", error: "Error: the queue is away" };
      expect(log).toMatchObject([["wake.failed", fields]]);
    },
  );

  test("a tick that fails is the caller's to see", async () => {
    const platform = { defer: () => undefined, deadline: () => null } as unknown as Platform;
    const tick = () => Promise.reject(new Error("the database is away"));
    await expect(drive({ tick }, platform)).rejects.toThrow("the database is away");
  });
});

describe("wake arm", () => {
  const open = (maxWakeMs?: number) => {
    const clock = { now: 1000, isBroken: false };
    const armed: number[] = [];
    const arm = async (delayMs: number): Promise<void> => {
      if (clock.isBroken) throw new Error("no alarm today");
      armed.push(delayMs);
    };
    const limit = maxWakeMs === undefined ? {} : { maxWakeMs };
    return { clock, armed, ...createWakeArm({ arm, now: () => clock.now, ...limit }) };
  };

  test("R2 the same instant is armed once, a later one never, an earlier one in its place", async () => {
    const { armed, wakeIn } = open();
    for (const delayMs of [5000, 5000, 6000, 4000, 4500]) await wakeIn(delayMs);
    expect(armed).toEqual([5000, 4000]);
  });

  test("R2 an instant that two answers of the database tell of a little differently is armed once", async () => {
    const { armed, clock, wakeIn } = open();
    await wakeIn(5000);
    clock.now += 1000;
    for (const delayMs of [3980, 4020, 3751]) await wakeIn(delayMs);
    expect(armed).toEqual([5000]);
    await wakeIn(3700);
    expect(armed).toEqual([5000, 3700]);
  });

  test("R2 an alarm whose instant has passed is armed anew", async () => {
    const { armed, clock, wakeIn } = open();
    await wakeIn(4000);
    clock.now = 5000;
    await wakeIn(2000);
    expect(armed).toEqual([4000, 2000]);
  });

  test("R2 an alarm that rang early is armed anew for the rest", async () => {
    const { armed, fired, wakeIn } = open();
    await wakeIn(5000);
    fired();
    await wakeIn(5000);
    expect(armed).toEqual([5000, 5000]);
  });

  test("R3 an instant beyond the platform's maximum is reached in a chain, and one that has passed is due now", async () => {
    const { armed, clock, fired, wakeIn } = open(900);
    for (const now of [1000, 1900, 2800]) {
      clock.now = now;
      await wakeIn(3000 - now);
    }
    expect(armed).toEqual([900, 900, 200]);
    fired();
    await wakeIn(-5000);
    expect(armed.at(-1)).toBe(0);
  });

  test("an alarm that could not be set counts as not armed", async () => {
    const { armed, clock, wakeIn } = open();
    clock.isBroken = true;
    await expect(wakeIn(5000)).rejects.toThrow("no alarm today");
    clock.isBroken = false;
    await wakeIn(6000);
    expect(armed).toEqual([6000]);
  });

  test("who asks for what is being armed waits until it is, and is told when it could not be", async () => {
    const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
    const arm = (): Promise<void> =>
      new Promise((resolve, reject) => void ends.push({ resolve, reject }));
    const { wakeIn } = createWakeArm({ arm, now: () => 1000 });
    const told: string[] = [];
    const ask = (name: string): Promise<void> =>
      wakeIn(5000).then(
        () => void told.push(`${name} armed`),
        () => void told.push(`${name} failed`),
      );
    const asked = [ask("first"), ask("second")];
    await new Promise((resolve) => void setImmediate(resolve));
    expect([ends.length, told]).toEqual([1, []]);
    ends[0]?.reject(new Error("no alarm today"));
    await Promise.all(asked);
    expect(told).toEqual(["first failed", "second failed"]);
    const again = ask("third");
    ends[1]?.resolve();
    await again;
    expect(told.at(-1)).toBe("third armed");
  });
});

describe("deferrals", () => {
  test("settled waits for all that is in hand, for what comes meanwhile, and for what fails", async () => {
    const { defer, settled } = createDeferrals();
    const done: string[] = [];
    defer(Promise.reject(new Error("lost")));
    defer(
      Promise.resolve().then(() => {
        done.push("first");
        defer(Promise.resolve().then(() => done.push("second")));
      }),
    );
    await settled();
    expect(done).toEqual(["first", "second"]);
    await settled();
  });
});
