/** A TCP proxy in front of PostgreSQL that counts round trips, delays answers and cuts connections. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What went over the wire since the last `reset`. */
export interface PostgresWireStats {
  /** How often a client spoke after the server had spoken: the round trips that somebody waited for. */
  readonly trips: number;
  /** Statements executed: Query and Execute messages. */
  readonly statements: number;
  /** Parse messages. */
  readonly parses: number;
  readonly connections: number;
}

export interface PostgresProxy {
  readonly url: string;
  stats(): PostgresWireStats;
  reset(): void;
  /** Closes every connection at once, both sides. */
  killConnections(): void;
  /** While true, answers of the server are swallowed, as by a network that drops packets. */
  setSilent(silent: boolean): void;
  stop(): Promise<void>;
}

export interface PostgresProxyOptions {
  /** Milliseconds by which every answer comes later. @default 0 */
  readonly delayMs?: number;
}

interface Counters {
  trips: number;
  statements: number;
  parses: number;
  connections: number;
}

/** Starts the proxy on a free port of 127.0.0.1, in this process. */
export async function startPostgresProxy(
  url: string,
  options: PostgresProxyOptions = {},
): Promise<PostgresProxy> {
  const target = new URL(url);
  const counters: Counters = { trips: 0, statements: 0, parses: 0, connections: 0 };
  const sockets = new Set<Socket>();
  const state = { silent: false };
  const server = createServer({ noDelay: true }, (client) => {
    counters.connections += 1;
    const upstream = connect({
      host: target.hostname,
      port: Number(target.port || "5432"),
      noDelay: true,
    });
    sockets.add(client).add(upstream);
    forward({ client, upstream, counters, state, delayMs: options.delayMs ?? 0 });
    const close = (): void => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of [client, upstream]) socket.on("close", close).on("error", close);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const through = new URL(url);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const killConnections = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    url: through.href,
    stats: () => ({ ...counters }),
    reset: () =>
      void Object.assign(counters, { trips: 0, statements: 0, parses: 0, connections: 0 }),
    killConnections,
    setSilent: (silent) => void (state.silent = silent),
    async stop() {
      killConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Link {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly counters: Counters;
  readonly state: { readonly silent: boolean };
  readonly delayMs: number;
}

function forward({ client, upstream, counters, state, delayMs }: Link): void {
  const count = createMessageCounter(counters);
  let serverSpokeLast = true;
  client.on("data", (chunk: Buffer) => {
    if (serverSpokeLast) counters.trips += 1;
    serverSpokeLast = false;
    count(chunk);
    upstream.write(chunk);
  });
  upstream.on("data", (chunk: Buffer) => {
    serverSpokeLast = true;
    if (state.silent) return;
    if (delayMs === 0) client.write(chunk);
    else setTimeout(() => client.write(chunk), delayMs);
  });
}

// https://www.postgresql.org/docs/current/protocol-message-formats.html (read 2026-11): after the start-up message,
// which has no type byte, each message is a type byte and a length that counts itself.
function createMessageCounter(counters: Counters): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  let started = false;
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const header = started ? 5 : 4;
      if (pending.length < header) return;
      const length = pending.readInt32BE(header - 4) + header - 4;
      if (pending.length < length) return;
      if (started) countMessage(counters, String.fromCharCode(pending[0] ?? 0));
      // SSLRequest and GSSENCRequest are 8 bytes; the start-up message proper is longer.
      else started = length > 8;
      pending = pending.subarray(length);
    }
  };
}

function countMessage(counters: Counters, type: string): void {
  if (type === "Q" || type === "E") counters.statements += 1;
  if (type === "P") counters.parses += 1;
}
