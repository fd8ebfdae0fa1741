/** A stranger's requests on the Node server: it stays up, its neighbours do not notice, its answers and memory stay small. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createPostgresDatabase,
  ofToday,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { type HostileRequest, startVictim, type Victim } from "./attacker.ts";
import { BODY_REQUESTS } from "./body-requests.ts";
import { FINDING_REQUESTS } from "./finding-requests.ts";
import { GENERATED } from "./generated-requests.ts";
import { HEAD_REQUESTS } from "./head-requests.ts";
import { SECRET } from "./request.ts";

const TABLE: readonly HostileRequest[] = [...HEAD_REQUESTS, ...BODY_REQUESTS, ...FINDING_REQUESTS];
const MAX_STALL_MS = 50;
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;
/** A stall that does not come every time was the collector's, or the machine's. */
const TRIES = 12;
const LIST = "/api/workflows/workflows/order/instances";

const SUBJECTS: readonly (readonly [
  string,
  () => Promise<{ readonly url: string; readonly remove: () => unknown }>,
])[] = [
  [
    "Postgres",
    async () => {
      const database = await createPostgresDatabase();
      return { url: database.url, remove: () => database.drop() };
    },
  ],
  [
    "libSQL embedded",
    async () => {
      const directory = temporaryDirectory();
      return {
        url: pathToFileURL(join(directory.path, "data.db")).href,
        remove: () => directory.remove(),
      };
    },
  ],
];

const create = (id: string): HostileRequest => {
  const body = Buffer.from(JSON.stringify({ id }));
  const head = `POST ${LIST} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.byteLength}\r\n\r\n`;
  return { name: `create ${id}`, head, body };
};

const sendEvent = (id: string, event: object): HostileRequest => {
  const body = Buffer.from(JSON.stringify(event));
  const head = `POST ${LIST}/${id}/events HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.byteLength}\r\n\r\n`;
  return { name: `an event to ${id}`, head, body };
};

const get = (path: string): HostileRequest => ({
  name: `GET ${path}`,
  head: `GET ${LIST}${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
});

test("there are more than 400 of them, and no two have one name", () => {
  expect(TABLE.length).toBeGreaterThan(400);
  expect(GENERATED.length).toBeGreaterThan(300);
  expect(new Set(TABLE.map(({ name }) => name)).size).toBe(TABLE.length);
});

describe.each([...ofToday(SUBJECTS, 1)])("S5-038 hostile requests on %s", (_name, open) => {
  let victim: Victim;
  let remove: () => unknown = () => undefined;
  beforeAll(async () => {
    const subject = await open();
    ({ remove } = subject);
    victim = await startVictim(subject.url, SECRET);
    await victim.send(create("here"));
  });
  afterAll(async () => {
    await victim.stop();
    remove();
  });

  /** What is wrong with how the server took it; null: nothing. */
  async function attack(request: HostileRequest): Promise<string | null> {
    let stallMs = 0;
    for (let count = 0; count < TRIES; count += 1) {
      await victim.ask("reset");
      const { status, sizeBytes, text } = await victim.send(request);
      if (victim.ended() !== null) return `${request.name}: the server died of it`;
      if (sizeBytes > MAX_ANSWER_BYTES) return `${request.name}: ${sizeBytes} bytes of answer`;
      if (status >= 500 && status !== 501 && status !== 505)
        return `${request.name}: ${text.slice(0, 300)}`;
      ({ stallMs } = await victim.ask("measure"));
      if (stallMs <= MAX_STALL_MS) return null;
    }
    return `${request.name}: others stood still for ${Math.round(stallMs)} ms`;
  }

  /** @returns what is wrong, a line each */
  async function attackAll(requests: readonly HostileRequest[]): Promise<string> {
    const findings: string[] = [];
    for (const request of requests) {
      const finding = await attack(request);
      if (finding !== null) findings.push(finding);
      if (victim.ended() !== null) break;
    }
    return findings.join("\n");
  }

  test(
    "S5-038 no request of the table crashes it, stalls others, or is answered at length",
    { timeout: 300_000 },
    async () => {
      // What is compiled and cached once is not the strangers'.
      for (const request of TABLE.slice(0, 100)) await victim.send(request);
      const big = TABLE.filter(({ body }) => (body?.byteLength ?? 0) > 500_000).slice(0, 40);
      for (const request of big) await victim.send(request);
      const before = await victim.ask("collect");
      expect(await attackAll(TABLE)).toBe("");
      const { rssBytes, errors } = await victim.ask("collect");
      expect(errors).toEqual([]);
      expect(rssBytes - before.rssBytes).toBeLessThan(MAX_GROWTH_BYTES);
    },
  );

  test("S5-038 nor does a generated one", { timeout: 300_000 }, async () => {
    const before = await victim.ask("collect");
    expect(await attackAll(GENERATED)).toBe("");
    const { rssBytes, errors } = await victim.ask("collect");
    expect(errors).toEqual([]);
    expect(rssBytes - before.rssBytes).toBeLessThan(MAX_GROWTH_BYTES);
  });

  test("S5-038 a hundred at once that never end their requests keep nobody out", async () => {
    const half = TABLE.filter(({ cut }) => cut === "silent");
    const waiting = Array.from({ length: 100 }, (_, n) =>
      victim.send(half[n % half.length] as HostileRequest),
    );
    expect((await victim.send(create("among-them"))).status).toBe(200);
    await Promise.all(waiting);
    expect((await victim.send(create("after-them"))).status).toBe(200);
    expect(victim.ended()).toBeNull();
  });

  test(
    "S5-038 an instance that holds as many events as it may fills no page and kills nobody",
    { timeout: 120_000 },
    async () => {
      expect((await victim.send(create("full"))).status).toBe(200);
      const payload = "x".repeat(1_000_000);
      const statuses = new Set<number>();
      for (let count = 0; count < 40; count += 1)
        statuses.add((await victim.send(sendEvent("full", { type: "other", payload }))).status);
      expect(statuses).toEqual(new Set([200, 429]));
      for (const path of [
        "/full",
        "/full/history",
        "/full/history?pageSize=100",
        "?pageSize=100",
      ]) {
        const { status, sizeBytes } = await victim.send(get(path));
        expect([path, status]).toEqual([path, 200]);
        expect(sizeBytes, path).toBeLessThan(MAX_ANSWER_BYTES);
      }
      // It waits for another type: waking it up loads what it needs and no more.
      const approval = { type: "approval", payload: [1] };
      for (const id of ["among-them", "here"])
        expect((await victim.send(sendEvent(id, approval))).status).toBe(200);
      const isComplete = async (id: string): Promise<boolean> =>
        (await victim.send(get(`/${id}`))).text.includes('"complete"');
      await expect.poll(() => isComplete("among-them"), { timeout: 60_000 }).toBe(true);
      expect(victim.ended()).toBeNull();
      expect((await victim.ask("collect")).errors).toEqual([]);
    },
  );
});
