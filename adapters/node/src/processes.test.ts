import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
  createPostgresDatabase,
  ofToday,
  pgBouncerAvailable,
  sqldAvailable,
  startPgBouncer,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import { compileOnce } from "@escapement-internal/test-servers/compiled-program";
import { afterEach, describe, expect, test } from "vitest";
import type { WorkerSettings } from "./testing-worker.ts";

const WORKER = fileURLToPath(new URL("testing-worker.ts", import.meta.url));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface Ask {
  readonly worker: string;
  readonly key: string;
  readonly attempt: number;
}

/** Answers step bodies; the second step of `held` workers has to wait. */
interface Gate {
  readonly url: string;
  readonly asks: Ask[];
  readonly held: Set<string>;
}

async function openGate(held: readonly string[] = []): Promise<Gate> {
  const gate = { asks: [] as Ask[], held: new Set(held) };
  const answer = (body: string, response: ServerResponse): void => {
    const ask = JSON.parse(body) as Ask;
    gate.asks.push(ask);
    if (!gate.held.has(ask.worker) || !ask.key.endsWith("/second")) response.end(ask.worker);
  };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => answer(body, response));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { ...gate, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

interface Worker {
  readonly api: string;
  readonly process: ChildProcess;
  readonly exit: Promise<{ readonly code: number | null; readonly lastLine: string }>;
}

async function startWorker(settings: WorkerSettings): Promise<Worker> {
  const program = (await compileOnce([WORKER])).get(WORKER) ?? "";
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, WORKER: JSON.stringify(settings) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  cleanups.push(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await exited;
  });
  const lines = createInterface({ input: child.stdout });
  let lastLine = "";
  lines.on("line", (line) => {
    lastLine = line;
  });
  await Promise.race([once(lines, "line"), exited]);
  const { url } = JSON.parse(lastLine) as { url: string };
  return {
    api: `${url}/api/workflows/workflows/chain/instances`,
    process: child,
    exit: exited.then(([code]) => ({ code, lastLine })),
  };
}

async function create(worker: Worker, ids: readonly string[]): Promise<void> {
  const answer = await fetch(`${worker.api}/batch`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ instances: ids.map((id) => ({ id })) }),
  });
  expect(answer.status).toBe(200);
}

const load = async (worker: Worker, path: string): Promise<unknown> =>
  (await fetch(`${worker.api}/${path}`)).json();

const attemptsOf = (gate: Gate, stepName: string): string[] =>
  gate.asks
    .filter(({ key }) => key.endsWith(`/${stepName}`))
    .map(({ worker, attempt }) => `${worker}:${attempt}`);

const polling = { interval: 20, timeout: 60_000 };
/** Short, to keep the test fast, but not so short that it expires on a busy machine. */
const KILLED_LEASE_MS = 6000;
const ONE_ATTEMPT = { lostAttempts: 0, attempts: 1 };
const ONE_LOST = { lostAttempts: 1, attempts: 1 };

interface Place {
  readonly name: string;
  readonly isMissing: boolean;
  readonly open: () => Promise<string>;
}

async function openPostgres(): Promise<string> {
  const database = await createPostgresDatabase();
  cleanups.push(() => database.drop());
  return database.url;
}

const PLACES: readonly Place[] = [
  { name: "Postgres", isMissing: false, open: openPostgres },
  {
    name: "Postgres through PgBouncer",
    isMissing: !pgBouncerAvailable(),
    open: async () => {
      const bouncer = await startPgBouncer(await openPostgres());
      cleanups.push(() => bouncer.stop());
      return bouncer.url;
    },
  },
  {
    name: "sqld",
    isMissing: !sqldAvailable(),
    open: async () => {
      const server = await startSqld();
      cleanups.push(() => server.stop());
      return server.url;
    },
  },
  {
    name: "an embedded file",
    isMissing: false,
    open: async () => {
      const directory = temporaryDirectory();
      cleanups.push(() => directory.remove());
      return join(directory.path, "data.db");
    },
  },
];

/** The same program, on other clients: two of the places each day. */
describe.each([...ofToday(PLACES, 2)])(
  "two processes on $name",
  { timeout: 240_000 },
  ({ open, isMissing }) => {
    test.skipIf(isMissing)(
      "S3-051 SIGTERM hands a run in the middle of a step over at once, long before its lease ends",
      async () => {
        const gate = await openGate(["a"]);
        const settings = { url: await open(), gate: gate.url, leaseMs: 600_000 };
        const [a, b] = await startWithHeldRun(gate, settings);
        a.process.kill("SIGTERM");
        expect(await a.exit).toEqual({ code: 0, lastLine: "stopped" });
        await expectFinished(b, gate);
      },
    );

    test.skipIf(isMissing)(
      "S0-001 S0-002 S4-048 kill -9 in the middle of a step: the other process goes on once the lease has ended, and repeats nothing finished",
      async () => {
        const gate = await openGate(["a"]);
        const settings = { url: await open(), gate: gate.url, leaseMs: KILLED_LEASE_MS };
        const [a, b] = await startWithHeldRun(gate, settings);
        a.process.kill("SIGKILL");
        await expectFinished(b, gate);
      },
    );

    test.skipIf(isMissing)(
      "S0-175 each step of forty instances runs once between them",
      async () => {
        const gate = await openGate();
        const [a, b] = await startBoth({ url: await open(), gate: gate.url, leaseMs: 30_000 });
        const ids = Array.from({ length: 40 }, (_, index) => `i-${index}`);
        await Promise.all([create(a, ids.slice(0, 20)), create(b, ids.slice(20))]);
        await expect
          .poll(() => load(b, "?status=complete&pageSize=100"), polling)
          .toMatchObject({ instances: { length: 40 } });
        expect(new Set(gate.asks.map(({ key }) => key)).size).toBe(120);
        expect(gate.asks).toHaveLength(120);
      },
    );
  },
);

const startBoth = (settings: Omit<WorkerSettings, "name">): Promise<[Worker, Worker]> =>
  Promise.all([startWorker({ ...settings, name: "a" }), startWorker({ ...settings, name: "b" })]);

/** Worker a is in the middle of the second step when b starts. */
async function startWithHeldRun(
  gate: Gate,
  settings: Omit<WorkerSettings, "name">,
): Promise<[Worker, Worker]> {
  const a = await startWorker({ ...settings, name: "a" });
  await create(a, ["one"]);
  await expect.poll(() => attemptsOf(gate, "second"), polling).toEqual(["a:1"]);
  const b = await startWorker({ ...settings, name: "b" });
  expect(await load(b, "one")).toMatchObject({ details: { status: "running" } });
  return [a, b];
}

async function expectFinished(worker: Worker, gate: Gate): Promise<void> {
  await expect
    .poll(() => load(worker, "one"), polling)
    .toMatchObject({ details: { status: "complete", output: ["a", "b", "b"] } });
  expect(attemptsOf(gate, "first")).toEqual(["a:1"]);
  expect(attemptsOf(gate, "second")).toEqual(["a:1", "b:2"]);
  expect(await load(worker, "one/history")).toMatchObject({
    steps: [ONE_ATTEMPT, ONE_LOST, ONE_ATTEMPT],
  });
}
