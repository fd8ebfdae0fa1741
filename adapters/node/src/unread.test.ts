/** Readers that open an answer and take nothing of it. */
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { createListener } from "./handler.ts";

const UNREAD_MS = 200;
const MEBIBYTE = new Uint8Array(2 ** 20);

const cleanups: (() => unknown)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).toReversed()) cleanup();
});

interface Opened {
  readonly reader: Socket;
  /** Resolves when the answer is no longer made. */
  readonly cut: Promise<unknown>;
}

/** An answer without an end, a piece every so often, and its one reader. */
async function open(everyMs: number): Promise<Opened> {
  const cutting = new AbortController();
  const toBody = () =>
    new ReadableStream({
      pull: async (controller) => {
        await sleep(everyMs);
        controller.enqueue(MEBIBYTE);
      },
      cancel: () => cutting.abort(),
    });
  const listener = createListener({ fetch: async () => new Response(toBody()) }, UNREAD_MS);
  const server = createServer(listener).listen(0, "127.0.0.1");
  cleanups.push(() => (server.closeAllConnections(), server.close()));
  await once(server, "listening");
  const reader = connect((server.address() as AddressInfo).port, "127.0.0.1");
  reader.on("error", () => undefined).write("GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
  return { reader, cut: once(cutting.signal, "abort") };
}

test("S6-019 an answer that nobody reads is cut off, and no longer made", async () => {
  const { reader, cut } = await open(0);
  await once(reader, "readable");
  await cut;
});

test("S6-019 an answer that is read goes on, however long it takes", async () => {
  const { reader, cut } = await open(UNREAD_MS / 4);
  let sizeBytes = 0;
  reader.on("data", (chunk: Buffer) => (sizeBytes += chunk.length));
  await Promise.race([cut, sleep(UNREAD_MS * 3)]);
  expect(sizeBytes).toBeGreaterThan(5 * MEBIBYTE.length);
  reader.destroy();
  await cut;
});
