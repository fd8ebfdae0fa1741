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

const kv = await Deno.openKv(":memory:");
let tickCount = 0;
let quietMs: number | null = null;
const tick = async (): Promise<TickOutput> => {
  tickCount += 1;
  return { ...IDLE_TICK, quietMs };
};
const openPlatform = () => {
  const platform = createDenoPlatform({ kv });
  platform.attach({ tick });
  return platform;
};
const [one, other] = [openPlatform(), openPlatform()];
const ticksOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = tickCount;
  await work();
  return tickCount - before;
};

/** How many ticks each minute's cron made. */
async function play(): Promise<Readonly<Record<string, number>>> {
  const cron = () => ticksOf(() => one.holdMinutes());
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
  return { unknown, quiet, open, settles, quietAgain };
}

Deno.serve(
  {
    port: Number(port),
    hostname: "127.0.0.1",
    onListen: () => console.log(`listening http://127.0.0.1:${port}`),
  },
  async () => Response.json(await play()),
);
