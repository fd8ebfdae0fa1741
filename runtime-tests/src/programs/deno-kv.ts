/** Runs in Deno: a note in Deno KV, asked over HTTP. Argument: the port. */
import { createDenoPlatform, type DenoRuntime } from "@escapement/deno";
import type { TickOutput } from "@escapement/engine";
import { IDLE_TICK } from "@escapement/engine/adapter";

interface Runtime extends DenoRuntime {
  openKv(
    path: string,
  ): Promise<NonNullable<NonNullable<Parameters<typeof createDenoPlatform>[0]>["kv"]>>;
  serve(
    options: { readonly port: number; readonly hostname: string; readonly onListen: () => void },
    handle: (request: Request) => Promise<Response>,
  ): unknown;
  readonly args: readonly string[];
}

const { Deno } = globalThis as unknown as { readonly Deno: Runtime };
const [port = "0"] = Deno.args;
const MINUTE_MS = 60_000;

// No minute begins in a play: each would have a tick of its own.
const now = (Math.floor(Date.now() / MINUTE_MS) + 0.5) * MINUTE_MS;
Date.now = () => now;

/** How many ticks each minute's cron made, and how often the note did not answer in time. */
async function play(): Promise<{
  readonly ticks: Readonly<Record<string, number>>;
  readonly failedCount: number;
}> {
  const kv = await Deno.openKv(":memory:");
  let tickCount = 0;
  let failedCount = 0;
  let quietMs: number | null = null;
  const tick = async (): Promise<TickOutput> => {
    tickCount += 1;
    return { ...IDLE_TICK, quietMs };
  };
  const logger = { log: () => void (failedCount += 1) };
  const openPlatform = () => {
    const platform = createDenoPlatform({ kv, logger });
    platform.attach({ tick });
    return platform;
  };
  const [one, other] = [openPlatform(), openPlatform()];
  const cron = async (): Promise<number> => {
    const before = tickCount;
    await one.holdMinutes();
    return tickCount - before;
  };
  const unknown = await cron();
  const quiet = await cron();
  const hint = { workflowName: null, instanceId: null, reason: "create" } as const;
  // What another process made due; its own tick comes first, and leaves a lease of a minute.
  quietMs = MINUTE_MS;
  const held = other.hold();
  await other.wakeNow(hint);
  // Whoever stays does so for what it is woken for too: all its ticks are over.
  await held;
  const open = await cron();
  quietMs = null;
  const settles = await cron();
  const quietAgain = await cron();
  return { ticks: { unknown, quiet, open, settles, quietAgain }, failedCount };
}

Deno.serve(
  {
    port: Number(port),
    hostname: "127.0.0.1",
    onListen: () => console.log(`listening http://127.0.0.1:${port}`),
  },
  async () => {
    // Where the note does not answer in 2 s, the database is asked instead: a process that had no turn for as long plays again.
    let played = await play();
    while (played.failedCount > 0) played = await play();
    return Response.json(played.ticks);
  },
);
