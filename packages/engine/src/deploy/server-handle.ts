/** A server that a process keeps for the engine's HTTP API, on whatever the runtime listens with. */
import { WorkflowError } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
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

const MAX_PORT = 65_535;

/**
 * What is asked of `serve`, with its defaults.
 *
 * @param known every name that its options have
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — the port is not a number from 0 to 65535; UNKNOWN_OPTION
 */
export function toListenAddress<TOptions extends ListenOptions>(
  options: TOptions,
  known: Readonly<Record<keyof TOptions, 1>>,
): ListenAddress {
  assertKnownOptions("serve", options, known);
  const { port = "", hostname = "" } = options;
  const number = port === "" ? 3000 : Number(port);
  if (!(Number.isInteger(number) && number >= 0 && number <= MAX_PORT)) {
    const message = `the option "port" is ${port}; expected a whole number from 0 to ${MAX_PORT}`;
    throw new WorkflowError("DEPLOY_OPTIONS_INVALID", message, { option: "port" });
  }
  return { port: number, hostname: hostname === "" ? "127.0.0.1" : hostname };
}

/** By the code of the runtime's own error: what stands in the way, and what to do. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program has it; stop that one, or choose another port (0: any that is free)",
  EACCES: "this process may not use it; choose one from 1024 on",
  EADDRNOTAVAIL: "this machine has no such address; use 127.0.0.1, or 0.0.0.0 for all",
  ENOTFOUND: "no address has this name; use 127.0.0.1, or 0.0.0.0 for all",
};

/** Gives what a server that cannot listen ends with: LISTEN_FAILED, or the error itself if it has another reason. */
export function toListenError(cause: unknown, { port, hostname }: ListenAddress): unknown {
  const { code: reason } = (cause ?? {}) as { readonly code?: unknown };
  const advice = REASONS[String(reason)];
  if (advice === undefined) return cause;
  const message = `cannot listen on ${hostname}, port ${port}: ${advice}`;
  return new WorkflowError("LISTEN_FAILED", message, { port, hostname, reason }, cause);
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
