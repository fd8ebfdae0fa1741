/** A server that a process keeps for the engine's HTTP API, on whatever the runtime listens with. */
import type { DurationMs } from "../core/model/records.ts";

/** Where a server listens. */
export interface ListenOptions {
  /** May come as text, as from the environment. 0: any free port. @default 3000, also for an empty text @minimum 0 @maximum 65535 */
  readonly port?: number | string | undefined;
  /** Address to listen on. @default "127.0.0.1", so that nothing is open to the network unasked; also for an empty text */
  readonly hostname?: string | undefined;
}

/** Where a server is bound. */
export interface ListenAddress {
  readonly port: number;
  readonly hostname: string;
}

/** What is asked for, with its defaults. */
export const toListenAddress = ({ port = "", hostname = "" }: ListenOptions): ListenAddress => ({
  port: port === "" ? 3000 : Number(port),
  hostname: hostname === "" ? "127.0.0.1" : hostname,
});

/** A listening server. */
export interface HttpServer {
  /** For instance `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly port: number;
  /**
   * Accepts no more connections and waits for the answers under way, at most `graceMs`; then cuts
   * them. Calling it again waits for the same end.
   */
  close(options?: { /** @default 5000 */ readonly graceMs?: DurationMs }): Promise<void>;
}

export interface Listener extends ListenAddress {
  /** Accepts no more; resolves when the answers under way are sent. */
  readonly stop: () => Promise<unknown>;
  /** Cuts the answers under way. */
  readonly cut: () => void;
}

/**
 * Gives a listening server its end in order.
 *
 * @param listener `port` is the one it is bound to
 */
export function toHttpServer({ hostname, port, stop, cut }: Listener): HttpServer {
  let closed: Promise<void> | null = null;
  const close = async (graceMs: DurationMs): Promise<void> => {
    const timer = setTimeout(cut, graceMs);
    await stop();
    clearTimeout(timer);
  };
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return {
    url: `http://${host}:${port}`,
    port,
    close: ({ graceMs = 5000 } = {}) => (closed ??= close(graceMs)),
  };
}
