/** The stream of an instance as lines and as events; the test writes the stream. */
import { describe, expect, it } from "vitest";
import type { EpochMs } from "../core/model/records.ts";
import { WorkflowError } from "../core/errors.ts";
import type { EngineService } from "../ports/service.ts";
import type { ReadProgressOptions, ReadProgressOutput } from "../ports/progress-service.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { prepareFetchHandler } from "./fetch-handler.ts";
import type { AnsweringPlatform } from "./options.ts";

const LINES = "application/x-ndjson";
const EVENTS = "text/event-stream";

/** An instance whose entries and end the test decides. */
function openScene(toPlatform: (now: EpochMs) => AnsweringPlatform | undefined = () => undefined) {
  const time = createFakeTime();
  const values: unknown[] = [];
  const asked: ReadProgressOptions[] = [];
  const calls = { open: 0 };
  const told = new Set<() => void>();
  let [ended, oldest]: [boolean, number] = [false, 1];
  let error: WorkflowError | null = null;
  const refuse = (): void => {
    if (error !== null) throw error;
  };
  const tell = (): void => told.forEach((listener) => listener());
  const page = ({ after = 0, limit = 100 }: ReadProgressOptions): ReadProgressOutput => {
    const all = values.map((value, index) => ({
      sequence: index + 1,
      value,
      timestamp: index,
      step: "progress",
      attempt: null,
      runNumber: 1,
    }));
    const entries = all.slice(Math.max(after, oldest - 1)).slice(0, limit);
    const cursor = entries.at(-1)?.sequence ?? after;
    const missed = (entries[0]?.sequence ?? after + 1) - after - 1;
    return { entries, cursor, missed, ended: ended && cursor >= values.length };
  };
  const readProgress: EngineService["readProgress"] = async (_name, _id, options = {}) => {
    const { waitMs = 0, signal } = options;
    asked.push(options);
    refuse();
    const first = page(options);
    if (first.entries.length > 0 || first.ended || waitMs === 0) return first;
    calls.open += 1;
    await new Promise<void>((resolve) => {
      const cancel = time.host.setTimer(waitMs, () => resolve());
      const leave = (): void => {
        cancel();
        resolve();
      };
      told.add(leave);
      signal?.addEventListener("abort", leave);
    });
    calls.open -= 1;
    refuse();
    return page(options);
  };
  const log: string[] = [];
  const service = { readProgress } as EngineService;
  const { handler } = prepareFetchHandler(
    service,
    {
      open: true,
      now: time.now,
      logger: { log: (_level, event) => void log.push(event) },
    },
    toPlatform(time.now()),
  );
  return {
    time,
    asked,
    calls,
    log,
    tell: (...more: readonly unknown[]) => {
      values.push(...more);
      tell();
    },
    end: () => {
      ended = true;
      tell();
    },
    keepFrom: (sequence: number) => void (oldest = sequence),
    failWith: (failure: WorkflowError) => {
      error = failure;
      tell();
    },
    get: (query = "", headers: Record<string, string> = {}, method = "GET") =>
      handler(
        new Request(`http://a.test/api/workflows/workflows/w/instances/x/stream${query}`, {
          method,
          headers,
        }),
      ),
  };
}

const toLines = (text: string): unknown[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

describe("S6-017 the stream of an instance over HTTP", () => {
  it("S6-017 is a page in JSON unless the request would rather have lines or events", async () => {
    const { get, tell, end } = openScene();
    tell("a", "b");
    end();
    const typeOf = async (accept?: string): Promise<string | null> =>
      (await get("", accept === undefined ? {} : { accept })).headers.get("content-type");
    expect(await typeOf()).toBe("application/json");
    for (const accept of ["*/*", "text/html", `application/json, ${EVENTS}`, `*/*, ${LINES}`])
      expect(await typeOf(accept)).toBe("application/json");
    for (const accept of [LINES, `${LINES};q=0.9, */*`, "text/html, Application/X-NDJSON"])
      expect(await typeOf(accept)).toBe(LINES);
    for (const accept of [EVENTS, `${EVENTS}, ${LINES}`]) expect(await typeOf(accept)).toBe(EVENTS);
    expect(await (await get("?after=1&once=true&waitMs=5")).json()).toMatchObject({
      entries: [{ sequence: 2, value: "b" }],
      cursor: 2,
      missed: 0,
      ended: true,
    });
  });

  it("S6-017 as lines has an entry a line as it is made, and a last one that says it has ended", async () => {
    const { get, tell, end, time } = openScene();
    const answer = await get("?after=0", { accept: LINES });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const next = async (): Promise<unknown[]> =>
      toLines(new TextDecoder().decode((await reader.read()).value));
    const first = next();
    await time.advance(100);
    tell({ n: 1 }, "two\nlines");
    expect(await first).toMatchObject([
      { sequence: 1, value: { n: 1 }, attempt: null, runNumber: 1 },
      { sequence: 2, value: "two\nlines" },
    ]);
    const last = next();
    end();
    expect(await last).toEqual([{ cursor: 2, ended: true }]);
    expect((await reader.read()).done).toBe(true);
  });

  it("S6-017 as lines ends when the time of an answer is over, with the place to go on from", async () => {
    const { get, tell, time } = openScene();
    tell("a");
    const text = (await get("?waitMs=3000", { accept: LINES })).text();
    await time.advance(2999);
    expect(await Promise.race([text, Promise.resolve("open")])).toBe("open");
    await time.advance(1);
    expect(toLines(await text)).toMatchObject([{ sequence: 1 }, { cursor: 1, ended: false }]);
  });

  it("S6-017 as events has ids to go on from, comments while there is nothing to tell, and an end of its own", async () => {
    const { get, tell, end, time, keepFrom } = openScene();
    tell("a", "b", "c");
    keepFrom(2);
    const begun = (await get("", { accept: EVENTS })).text();
    await time.advance(20_000);
    const text = await begun;
    expect(text).toMatch(/^retry: \d+\n\nevent: missed\ndata: \{"missed":1\}\n\nid: 2\ndata: \{/u);
    expect(text).toMatch(/\n\nid: 3\ndata: \{"sequence":3,[^\n]*\}\n\n(?::\n\n)+$/u);
    end();
    const again = await get("", { accept: EVENTS, "last-event-id": "2" });
    expect(await again.text()).toMatch(
      /^retry: \d+\n\nid: 3\ndata: .*\n\nevent: end\ndata: \{"cursor":3,"ended":true\}\n\n$/u,
    );
    const gone = await get("?after=1", { accept: EVENTS, "last-event-id": "3" });
    expect([gone.status, await gone.text()]).toEqual([204, ""]);
    const first = await get("?after=3", { accept: EVENTS, "last-event-id": "" });
    expect(await first.text()).toContain("event: end");
  });

  it("S6-017 reads no page before somebody asks for it, and nothing more once the reader has left", async () => {
    const { get, tell, asked, calls, time } = openScene();
    tell("a", "b", "c");
    const answer = await get("?limit=1", { accept: LINES });
    await time.advance(1000);
    expect(asked).toHaveLength(1);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    for (let page = 0; page < 3; page += 1) await reader.read();
    expect(asked.map(({ after }) => after)).toEqual([0, 1, 2]);
    const waiting = reader.read();
    await time.advance(1000);
    expect(calls.open).toBe(1);
    await reader.cancel();
    expect((await waiting).done).toBe(true);
    await time.advance(0);
    expect([calls.open, asked.length]).toEqual([0, 4]);
    await time.advance(60_000);
    expect(asked).toHaveLength(4);
  });

  it("S6-017 with `once` ends with its first entries, for those between whom and it something holds answers back", async () => {
    const { get, tell, time } = openScene();
    for (const [accept, end] of [
      [LINES, /"sequence":1[^\n]*\n\{"cursor":1,"ended":false\}\n$/u],
      [EVENTS, /id: 1\ndata: [^\n]*\n\n$/u],
    ] as const) {
      const text = get("?once=true", { accept }).then((answer) => answer.text());
      await time.advance(3000);
      tell("a");
      await time.advance(0);
      expect(await text).toMatch(end);
    }
  });

  it("S6-017 ends with its first entries where the platform hands on whole answers, and before an invocation is killed", async () => {
    const held = openScene(() => ({ holdsAnswers: true, deadline: () => null }));
    held.tell("a");
    const short = await held.get("", { accept: LINES });
    expect(toLines(await short.text())).toMatchObject([{ sequence: 1 }, { cursor: 1 }]);
    const killed = openScene((now) => ({ deadline: () => now + 5000 }));
    const text = (await killed.get("", { accept: LINES })).text();
    await killed.time.advance(4000);
    expect(toLines(await text)).toEqual([{ cursor: 0, ended: false }]);
  });

  it("S6-017 HEAD asks once, and has no body that would go on", async () => {
    const { get, asked, time } = openScene();
    const answer = await get("", { accept: EVENTS }, "HEAD");
    expect([answer.status, answer.body]).toEqual([200, null]);
    expect(answer.headers.get("content-type")).toBe(EVENTS);
    await time.advance(60_000);
    expect(asked).toHaveLength(1);
  });

  it("S6-017 ends as if its time were over when the store fails, and says so in the log", async () => {
    const { get, tell, failWith, log, time } = openScene();
    tell("a");
    const text = (await get("", { accept: LINES })).text();
    await time.advance(1000);
    failWith(new WorkflowError("STORE_UNAVAILABLE", "away"));
    expect(toLines(await text)).toMatchObject([{ sequence: 1 }, { cursor: 1, ended: false }]);
    expect(log).toContain("stream.broken");
    const refused = await get("", { accept: LINES });
    expect([refused.status, refused.headers.get("content-type")]).toEqual([
      503,
      "application/json",
    ]);
  });

  it.each([
    "after=-1",
    "after=1e9",
    "after=NaN",
    "after=2147483648",
    "after=0x1",
    "after=",
    "after=1&after=2",
    "limit=0",
    "limit=1001",
    "limit=99999999999999999999",
    "waitMs=20001",
    "waitMs=Infinity",
    "once=yes",
  ])("S6-017 refuses %s in every form, and asks nobody", async (query) => {
    const { get, asked } = openScene();
    for (const accept of [LINES, EVENTS, "*/*"]) {
      const answer = await get(`?${query}`, { accept });
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { code: "INVALID_REQUEST" },
      ]);
    }
    expect(asked).toEqual([]);
  });

  it.each(["-1", "1e3", "a", "1,2", "9".repeat(4000)])(
    "S6-017 refuses the event id %s",
    async (id) => {
      const { get, asked } = openScene();
      const answer = await get("", { accept: EVENTS, "last-event-id": id });
      expect(answer.status).toBe(400);
      expect((await answer.text()).length).toBeLessThan(1000);
      expect(asked).toEqual([]);
    },
  );
});
