/** A TCP proxy in front of PostgreSQL that counts round trips, delays answers and does to requests what networks do. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { type Deliver, PASS } from "./delivery.ts";
import { PostgresLink, type SilenceMoment } from "./postgres-link.ts";

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
  /**
   * Makes every connection that there is half-open: nothing passes any more in either direction, and neither side is told.
   * Connections opened later work. `mid-request`: each goes silent within its next batch, of which the server gets all but
   * the Sync, so that it has locked its rows and waits for more. @default "now"
   */
  silence(moment?: SilenceMoment): void;
  /** Decides about each batch from now on; null: all pass. */
  setDelivery(deliver: Deliver | null): void;
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

interface ProxyState {
  readonly counters: Counters;
  readonly links: Set<PostgresLink>;
  readonly delayMs: number;
  deliver: Deliver | null;
  isMute: boolean;
}

/** Starts the proxy on a free port of 127.0.0.1, in this process. */
export async function startPostgresProxy(
  url: string,
  options: PostgresProxyOptions = {},
): Promise<PostgresProxy> {
  const { hostname: host, port } = new URL(url);
  const state: ProxyState = {
    counters: { trips: 0, statements: 0, parses: 0, connections: 0 },
    links: new Set(),
    delayMs: options.delayMs ?? 0,
    deliver: null,
    isMute: false,
  };
  const server = createServer({ noDelay: true }, (client) =>
    link(state, client, connect({ host, port: Number(port || "5432"), noDelay: true })),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const through = new URL(url);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const killConnections = (): void => state.links.forEach((each) => each.close());
  return {
    url: through.href,
    stats: () => ({ ...state.counters }),
    reset: () =>
      void Object.assign(state.counters, { trips: 0, statements: 0, parses: 0, connections: 0 }),
    killConnections,
    setSilent: (silent) => void (state.isMute = silent),
    silence: (moment = "now") => state.links.forEach((each) => each.silence(moment)),
    setDelivery: (deliver) => void (state.deliver = deliver),
    async stop() {
      killConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function link(state: ProxyState, client: Socket, server: Socket): void {
  const { counters, links, delayMs } = state;
  counters.connections += 1;
  let serverSpokeLast = true;
  const added: PostgresLink = new PostgresLink({
    client,
    server,
    delayMs,
    deliver: () => state.deliver?.() ?? PASS,
    isMute: () => state.isMute,
    onMessage: ({ type }) => {
      if (type === "Q" || type === "E") counters.statements += 1;
      if (type === "P") counters.parses += 1;
    },
    onBytes: (from) => {
      if (from === "client" && serverSpokeLast) counters.trips += 1;
      serverSpokeLast = from === "server";
    },
    onClosed: () => links.delete(added),
  });
  links.add(added);
}
