/** The note of the next due time, in the vendor's own emulator of its store. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { defineWorkflow } from "@escapement/engine";
import { createDeferrals, createWakeNote } from "@escapement/engine/adapter";
import { createHarness } from "@escapement/engine/testing";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { getStore } from "@netlify/blobs";
import { BlobsServer } from "@netlify/blobs/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type BlobStore, toNoteStore } from "./blob-note.ts";
import { backgroundHandler, createNetlifyPlatform, scheduleHandler } from "./index.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const NAP = defineWorkflow({ name: "nap" }, async (event, step) => {
  await step.sleep("nap", Number(event.payload));
  return "rested";
});

/**
 * The emulator derives an ETag from the millisecond in which a file was written, so two writes may share one. Here it is derived from the
 * content, because no two notes have the same text.
 */
Object.assign(BlobsServer, {
  generateETag: async (file: string): Promise<string> => {
    const text = await readFile(file).catch(() => null);
    return text === null ? "" : `"${createHash("sha256").update(text).digest("hex")}"`;
  },
});

let blobs: BlobStore;
/** On a busy machine, the emulator answers when nobody waits any more, although it has done what was asked. */
const answers = createDeferrals();
let stopServer: () => Promise<void>;
let removeFiles: () => void;

beforeEach(async () => {
  const directory = temporaryDirectory();
  removeFiles = directory.remove;
  const server = new BlobsServer({ directory: directory.path, token: "local" });
  const { port } = await server.start();
  let isUp = true;
  stopServer = async () => {
    if (isUp) await server.stop();
    isUp = false;
  };
  const url = `http://127.0.0.1:${port}`;
  const access = { siteID: "site", token: "local", edgeURL: url, uncachedEdgeURL: url };
  const emulated: BlobStore = getStore({ name: "workflows", consistency: "strong", ...access });
  const untilAnswered = <T>(answer: Promise<T>): Promise<T> => {
    answers.defer(answer);
    return answer;
  };
  blobs = {
    get: (key) => untilAnswered(emulated.get(key)),
    set: (key, text, options) => untilAnswered(emulated.set(key, text, options)),
  };
});
afterEach(async () => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  await stopServer();
  removeFiles();
});

const SITE = "https://orders.test";
const CONTEXT = { waitUntil: () => undefined };

/** A site whose functions call each other, with a clock that the test moves. */
function openSite() {
  const platform = createNetlifyPlatform({
    signingKeys: ["background-key-of-more-than-24-bytes"],
    siteUrl: SITE,
    looksAhead: false,
    blobs,
    now: () => harness.clock.now(),
  });
  const harness = createHarness({ workflows: { NAP }, platform });
  const work = backgroundHandler(harness.engine, { platform });
  let asked = 0;
  const nextWake = () => {
    asked += 1;
    return harness.engine.nextWake();
  };
  const schedule = scheduleHandler({ nextWake }, { platform });
  const passOn = globalThis.fetch;
  let lostCalls = 0;
  const works: Promise<unknown>[] = [];
  vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    if (!request.url.startsWith(SITE)) return passOn(request);
    if (lostCalls > 0) lostCalls -= 1;
    else works.push(work(request, CONTEXT));
    return new Response(null, { status: 202 });
  });
  const settled = async (): Promise<void> => {
    await platform.settled();
    await Promise.all(works.splice(0));
    await answers.settled();
  };
  return {
    ...harness,
    settled,
    asked: () => asked,
    loseCalls: (count: number) => void (lostCalls = count),
    statusOf: async (id: string) => (await harness.status("nap", id)).status,
    create: async (id: string, sleepMs: number) => {
      await harness.workflows.NAP.create({ id, params: sleepMs });
      await settled();
    },
    /** Runs the schedule of each minute for this long. */
    pass: async (ms: number) => {
      for (let minutes = ms / MINUTE_MS; minutes > 0; minutes -= 1) {
        await harness.clock.advance(MINUTE_MS);
        await schedule(new Request(`${SITE}/cron`), CONTEXT);
        await settled();
      }
    },
  };
}

describe("the schedule", () => {
  test("S9-018 with hundreds asleep and nothing due it asks the database once an hour", async () => {
    const site = openSite();
    const params = 30 * DAY_MS;
    for (let made = 0; made < 300; made += 100) {
      const batch = Array.from({ length: 100 }, (_, index) => ({ id: `${made + index}`, params }));
      await site.workflows.NAP.createBatch(batch);
    }
    await site.settled();
    expect(await site.statusOf("299")).toBe("waiting");
    // After hundreds of writes at once, the note may be left open.
    await site.pass(MINUTE_MS);
    const before = site.asked();
    const warned = vi.spyOn(console, "warn");
    await site.pass(DAY_MS);
    // The database is asked if the emulator answers too late, and in the minute after.
    const late = warned.mock.calls.filter(([line]) => String(line).includes("wake.note_failed"));
    expect(site.asked() - before).toBeLessThanOrEqual(24 + 2 * late.length);
  }, 240_000);

  test("what is created while all is quiet is worked on at once, and wakes in its minute", async () => {
    const site = openSite();
    await site.create("long", DAY_MS);
    await site.pass(2 * HOUR_MS);
    await site.create("short", 10 * MINUTE_MS);
    expect(await site.statusOf("short")).toBe("waiting");
    await site.pass(9 * MINUTE_MS);
    expect(await site.statusOf("short")).toBe("waiting");
    await site.pass(MINUTE_MS);
    expect(await site.statusOf("short")).toBe("complete");
  });

  test("a call of the background function that is lost costs a minute and no hour", async () => {
    const site = openSite();
    await site.create("long", DAY_MS);
    await site.pass(HOUR_MS);
    site.loseCalls(1);
    await site.create("unheard", 0);
    expect(await site.statusOf("unheard")).toBe("queued");
    await site.pass(MINUTE_MS);
    expect(await site.statusOf("unheard")).not.toBe("queued");
  });

  test("while the note's store is away it asks the database each minute, and work goes on", async () => {
    const site = openSite();
    await site.create("long", DAY_MS);
    await site.pass(HOUR_MS);
    await stopServer();
    const before = site.asked();
    await site.create("short", 5 * MINUTE_MS);
    await site.pass(6 * MINUTE_MS);
    expect(site.asked() - before).toBe(6);
    expect(await site.statusOf("short")).toBe("complete");
  });
});

describe("an instance that is to start later", () => {
  test("is asked for by the schedule of its minute, though the note said that nothing is due", async () => {
    const site = openSite();
    await site.pass(10 * MINUTE_MS);
    const before = site.asked();
    await site.workflows.NAP.create({ id: "later", params: 0, delay: 20 * MINUTE_MS });
    await site.settled();
    await site.pass(19 * MINUTE_MS);
    expect(await site.statusOf("later")).toBe("queued");
    await site.pass(2 * MINUTE_MS);
    expect(await site.statusOf("later")).toBe("complete");
    expect(site.asked() - before).toBeLessThan(8);
  });
});

describe("the note", () => {
  const openNote = (now: () => number = () => 0) =>
    createWakeNote(toNoteStore(blobs), { now, logger: { log: () => undefined } });

  test("is not quiet until somebody has said so", async () => {
    expect(await openNote().isQuiet()).toBe(false);
    await blobs.set("next-wake", "no note of ours");
    expect(await openNote().isQuiet()).toBe(false);
  });

  test("stays open when a process opened it and died, whoever settles what was opened before", async () => {
    const [one, two] = [openNote(), openNote()];
    const finds = (quietMs: number | null) => () => quietMs;
    await one.around(() => two.open(), finds(null));
    expect(await one.isQuiet()).toBe(false);
    await one.around(() => two.around(async () => undefined, finds(null)), finds(0));
    expect(await one.isQuiet()).toBe(true);
    await two.open();
    expect(await one.isQuiet()).toBe(false);
  });

  test.each([
    { quietMs: 10 * MINUTE_MS, clockMs: 6 * MINUTE_MS, isQuiet: true },
    { quietMs: 10 * MINUTE_MS, clockMs: 7 * MINUTE_MS, isQuiet: false },
    { quietMs: null, clockMs: HOUR_MS - 1, isQuiet: true },
    { quietMs: null, clockMs: HOUR_MS, isQuiet: false },
    { quietMs: null, clockMs: -2 * HOUR_MS, isQuiet: false },
  ])("quiet for $quietMs ms, $clockMs ms later by the clock: $isQuiet", async (row) => {
    let now = DAY_MS;
    const note = openNote(() => now);
    await note.around(
      async () => undefined,
      () => row.quietMs,
    );
    now += row.clockMs;
    expect(await note.isQuiet()).toBe(row.isQuiet);
  });
});
