/** An HTTP proxy in front of a libSQL server that counts requests, cuts connections and does to requests what networks do. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type Deliver, type Delivery, PASS } from "./delivery.ts";

export interface HttpProxy {
  readonly url: string;
  /** Requests since the last `reset`, with method and path. */
  stats(): { readonly requests: number; readonly paths: readonly string[] };
  reset(): void;
  /** Closes every connection at once. */
  killConnections(): void;
  /** While true, requests are taken but never answered. */
  setSilent(silent: boolean): void;
  /** Decides about each request from now on; null: all pass. */
  setDelivery(deliver: Deliver | null): void;
  stop(): Promise<void>;
}

export interface HttpProxyOptions {
  /** Milliseconds by which every answer comes later. @default 0 */
  readonly delayMs?: number;
}

/** Starts the proxy on a free port of 127.0.0.1, in this process. */
export async function startHttpProxy(
  url: string,
  options: HttpProxyOptions = {},
): Promise<HttpProxy> {
  let paths: string[] = [];
  let silent = false;
  let deliver: Deliver | null = null;
  const { delayMs = 0 } = options;
  const server = createServer((incoming, outgoing) => {
    paths.push(`${incoming.method ?? ""} ${incoming.url ?? ""}`);
    const delivery: Delivery = silent ? { kind: "half-open" } : (deliver?.() ?? PASS);
    const exchange = { target: new URL(url), incoming, outgoing, delayMs };
    treat(exchange, delivery).catch(() => outgoing.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stats: () => ({ requests: paths.length, paths }),
    reset: () => void (paths = []),
    killConnections: () => server.closeAllConnections(),
    setSilent: (value) => void (silent = value),
    setDelivery: (value) => void (deliver = value),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Exchange {
  readonly target: URL;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly delayMs: number;
}

async function treat(exchange: Exchange, delivery: Delivery): Promise<void> {
  const { incoming, outgoing } = exchange;
  if (delivery.kind === "half-open") return;
  const body = await buffer(incoming);
  switch (delivery.kind) {
    case "pass":
      return forward(exchange, body);
    case "delay":
      await pause(delivery.ms);
      return forward(exchange, body);
    case "drop":
      outgoing.destroy();
      return;
    case "lose-answer":
      await send(exchange, body);
      outgoing.destroy();
      return;
    case "late":
      outgoing.destroy();
      await pause(delivery.ms);
      await send(exchange, body);
      return;
    case "twice":
      await send(exchange, body);
      outgoing.destroy();
      await pause(delivery.ms);
      await send(exchange, body);
      return;
  }
}

interface Answer {
  readonly message: IncomingMessage;
  readonly body: Buffer;
}

async function forward(exchange: Exchange, body: Buffer): Promise<void> {
  const { outgoing, delayMs } = exchange;
  const answer = await send(exchange, body);
  if (delayMs > 0) await pause(delayMs);
  outgoing.writeHead(answer.message.statusCode ?? 502, answer.message.headers);
  outgoing.end(answer.body);
}

async function send({ target, incoming }: Exchange, body: Buffer): Promise<Answer> {
  const upstream = request({
    host: target.hostname,
    port: target.port,
    method: incoming.method,
    path: incoming.url,
    headers: incoming.headers,
  });
  upstream.end(body);
  const [message] = (await once(upstream, "response")) as [IncomingMessage];
  return { message, body: await buffer(message) };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
