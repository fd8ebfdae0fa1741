/** Readers of a stream over HTTP that come and go at random, while the process that serves the stream and runs the workflow is killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterEach, expect, test } from "vitest";

const STEPS = 12;
const TOLD = STEPS * 2;

const WORKER = `
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { createNodePlatform, serve } from "@escapement/node";
import Libsql from "libsql";

const TELLS = defineWorkflow({ name: "tells" }, async (event, step) => {
  for (let n = 0; n < ${STEPS}; n += 1) {
    await step.progress({ n, begins: true });
    await step.do("work", async ({ progress }) => {
      for (const part of [0, 1, 2]) {
        await progress({ n, part });
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
    });
    await step.progress({ n, begins: false });
  }
});
const connection = new Libsql(process.env.WORKER);
applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
const database = createSqliteDatabase(connection);
await migrate(database);
const store = createSqlStore({ database });
const platform = createNodePlatform({ pollMs: 50 });
const engine = createEngine({ workflows: { TELLS }, store, platform, leaseMs: 3000, http: { open: true } });
const server = await serve({ engine, port: 0 });
platform.start({ server });
console.log(server.url);
`;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface Worker {
  readonly api: string;
  readonly process: ChildProcess;
}

async function startWorker(file: string): Promise<Worker> {
  const args = ["--import", import.meta.resolve("tsx"), "--input-type=module", "-e", WORKER];
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    env: { ...process.env, WORKER: file },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  cleanups.push(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { api: `${url}/api/workflows/workflows/tells/instances`, process: child };
}

interface Entry {
  readonly sequence: number;
  readonly step: string;
  /** null: between steps. */
  readonly attempt: number | null;
  readonly value: object;
}

/** What a reader has seen so far, over all its requests. */
interface Seen {
  readonly entries: Entry[];
  cursor: number;
  ended: boolean;
}

type Read = (url: string, seen: Seen, leaveAfter: number) => Promise<void>;

function see(seen: Seen, entry: Entry): void {
  seen.entries.push(entry);
  seen.cursor = entry.sequence;
}

const readPage: Read = async (url, seen) => {
  const answer = await fetch(`${url}?after=${seen.cursor}&limit=3&waitMs=1000`);
  const page = (await answer.json()) as {
    readonly entries: readonly Entry[];
    readonly ended: boolean;
  };
  for (const entry of page.entries) see(seen, entry);
  seen.ended = page.ended;
};

/** Reads chunks of text, and leaves in the middle of the answer after a number of them. */
async function readBlocks(
  answer: Response,
  { until, onBlock }: { readonly until: string; readonly onBlock: (block: string) => boolean },
): Promise<void> {
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (let goesOn = true; goesOn;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split(until);
    rest = blocks.pop() ?? "";
    goesOn = blocks.every(onBlock);
  }
  await reader.cancel();
}

const readLines: Read = async (url, seen, leaveAfter) => {
  const headers = { accept: "application/x-ndjson" };
  let left = leaveAfter;
  await readBlocks(await fetch(`${url}?after=${seen.cursor}`, { headers }), {
    until: "\n",
    onBlock(block) {
      const line = JSON.parse(block) as Entry | { readonly ended: boolean };
      if ("ended" in line) seen.ended = line.ended;
      else see(seen, line);
      return --left > 0;
    },
  });
};

const readEvents: Read = async (url, seen, leaveAfter) => {
  const id = seen.cursor === 0 ? {} : { "last-event-id": String(seen.cursor) };
  const answer = await fetch(url, { headers: { accept: "text/event-stream", ...id } });
  if (answer.status === 204) return void (seen.ended = true);
  let left = leaveAfter;
  await readBlocks(answer, {
    until: "\n\n",
    onBlock(block) {
      const data = /^data: (.*)$/mu.exec(block)?.[1];
      if (/^event: end$/mu.test(block)) seen.ended = true;
      else if (data !== undefined) see(seen, JSON.parse(data) as Entry);
      return --left > 0;
    },
  });
};

const FORMS: readonly Read[] = [readPage, readLines, readEvents];

/** Reads again and again, in random forms, until the stream has ended. @param address where it is served at the moment */
async function watch(address: () => string, forms: readonly Read[]): Promise<Seen> {
  const seen: Seen = { entries: [], cursor: 0, ended: false };
  while (!seen.ended) {
    const read = forms[Math.floor(Math.random() * forms.length)] ?? readPage;
    // Nothing answers while the process is dead.
    await read(address(), seen, 1 + Math.floor(Math.random() * 6)).catch(
      () => new Promise((resolve) => setTimeout(resolve, 20)),
    );
  }
  return seen;
}

test("S6-017 readers that come and go lose and double nothing over pages, lines and events, live and afterwards, though the process is killed", async () => {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  const file = join(directory.path, "data.db");
  let worker = await startWorker(file);
  const created = await fetch(worker.api, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"id":"t"}',
  });
  expect(created.status).toBe(200);
  const address = (): string => `${worker.api}/t/stream`;
  const readers = [FORMS, ...FORMS.map((form) => [form])].map((forms) => watch(address, forms));
  for (const atLeast of [5, 12]) {
    const killing: Seen = { entries: [], cursor: atLeast - 1, ended: false };
    await readLines(address(), killing, 1);
    worker.process.kill("SIGKILL");
    worker = await startWorker(file);
  }
  const live = await Promise.all(readers);
  const afterwards = await Promise.all(FORMS.map((form) => watch(address, [form])));
  for (const { entries } of [...live, ...afterwards]) expectWhole(entries);
}, 120_000);

/** Each entry once, in order. Those of bodies are as many as attempts, of which a lost one is cut off. */
function expectWhole(entries: readonly Entry[]): void {
  expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1));
  const between = entries.filter(({ attempt }) => attempt === null);
  expect(between.map(({ value }) => value)).toEqual(
    Array.from({ length: TOLD }, (_, at) => ({ n: Math.floor(at / 2), begins: at % 2 === 0 })),
  );
  const parts = entries.filter(({ attempt }) => attempt !== null);
  const names = parts.map(({ step, attempt, value }) => JSON.stringify([step, attempt, value]));
  expect(new Set(names).size).toBe(names.length);
  const whole = Array.from({ length: STEPS * 3 }, (_, at) => ({
    n: Math.floor(at / 3),
    part: at % 3,
  }));
  expect(parts.map(({ value }) => value)).toEqual(expect.arrayContaining(whole));
}
