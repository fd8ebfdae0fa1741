/** A server that a process keeps for the engine's HTTP API, on whatever the runtime listens with. */
import type { DurationMs } from "../core/model/records.ts";

export interface ListenOptions {
  /** 0: any free port. @default 3000 @minimum 0 @maximum 65535 */
  readonly port?: number;
  /** Address to listen on. @default "127.0.0.1", so that nothing is open to the network unasked */
  readonly hostname?: string;
}

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

export interface Listener extends Required<ListenOptions> {
  /** Accepts no more; resolves when the answers under way are sent. */
  readonly stop: () => Promise<unknown>;
  /** Cuts the answers under way. */
  readonly cut: () => void;
}

/** @param listener `port` is the one it is bound to */
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
