/** The limit of waits and streams that a process holds open, reached by as many readers. */
import { connect, type Socket } from "node:net";
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { expect, test, vi } from "vitest";
import { serve } from "./handler.ts";

/** As the documents state it: `MAX_OPEN_WAITS` of the engine. */
const MOST = 5000;

const SLEEPS = defineWorkflow({ name: "sleeps" }, async (_event, step) => {
  await step.sleep("for long", "30 days");
});
const PATH = "/api/workflows/workflows/sleeps/instances/a";
const EVENTS = "text/event-stream";
const REFUSED = { error: { code: "WAIT_LIMIT", details: { most: MOST } } };

type Fetch = (request: Request) => Promise<Response>;
type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** A stream of a reader in this process, who has read its first bytes. */
async function openHere(fetch: Fetch): Promise<Reader> {
  const request = new Request(`http://127.0.0.1${PATH}/stream`, { headers: { accept: EVENTS } });
  const answer = await fetch(request);
  expect(answer.status).toBe(200);
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  expect((await reader.read()).done).toBe(false);
  return reader;
}

/** A stream over a connection of its own, and the first line of its answer. */
const openThere = (
  port: number,
): Promise<{ readonly socket: Socket; readonly first: string | undefined }> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", reject);
    socket.once("data", (chunk: Buffer) => {
      resolve({ socket, first: chunk.toString().split("\r\n")[0] });
    });
    socket.write(`GET ${PATH}/stream HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: ${EVENTS}\r\n\r\n`);
  });

test("S6-017 S8-009 5000 readers have their streams, one more is told to come again, and one that leaves makes room", async () => {
  const store = createMemoryStore();
  const logger = { log: (): void => undefined };
  // Time stands still: on a busy machine the first streams would be over before the last are open.
  const http = { open: true, now: (): number => 0 } as const;
  const engine = createEngine({ workflows: { SLEEPS }, store, http, logger });
  await engine.workflows.SLEEPS.create({ id: "a" });
  const server = await serve({ engine, port: 0, hostname: "127.0.0.1" });
  const readers = await Promise.all(Array.from({ length: MOST - 1 }, () => openHere(engine.fetch)));
  const last = await openThere(server.port);
  expect(last.first).toBe("HTTP/1.1 200 OK");

  const ask = (path: string, accept = "application/json"): Promise<Response> =>
    fetch(`${server.url}${path}`, { headers: { accept } });
  const more = [
    ask(`${PATH}/stream`, EVENTS),
    ask(`${PATH}/stream`, "application/x-ndjson"),
    ask(`${PATH}/stream?waitMs=1000`),
    ask(`${PATH}?waitMs=1000`),
  ];
  for (const answer of await Promise.all(more))
    expect([answer.status, await answer.json()]).toMatchObject([429, REFUSED]);
  // What does not wait is answered as ever.
  expect((await ask(`${PATH}/stream`)).status).toBe(200);

  last.socket.destroy();
  const next = await vi.waitFor(async () => {
    const opened = await openThere(server.port);
    expect(opened.first).toBe("HTTP/1.1 200 OK");
    return opened;
  }, 60_000);
  expect((await ask(`${PATH}?waitMs=1000`)).status).toBe(429);
  await readers[0]?.cancel();
  expect((await ask(`${PATH}?waitMs=1`)).status).toBe(200);

  next.socket.destroy();
  await Promise.all(readers.map((reader) => reader.cancel()));
  await server.close();
}, 240_000);
