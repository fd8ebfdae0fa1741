/** The server for the engine's HTTP API in a process, on any runtime. */
import { WorkflowError } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { DurationMs } from "../core/model/records.ts";

/** Where a server listens. */
export interface ListenOptions {
  /** May be text, for example from the environment. 0: any free port. @default 3000, also for an empty text @minimum 0 @maximum 65535 */
  readonly port?: number | string | undefined;
  /** The address to listen on. @default "127.0.0.1", so that nothing is open to the network by accident; also for an empty text */
  readonly hostname?: string | undefined;
}

/** The address of a server. */
export interface ListenAddress {
  readonly port: number;
  readonly hostname: string;
}

const MAX_PORT = 65_535;

/**
 * Fills in the defaults of `serve`.
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
  const number = port === "" ? 3000 : toNumber(port);
  if (!(Number.isInteger(number) && number >= 0 && number <= MAX_PORT))
    throw unusable("port", port, `a whole number from 0 to ${MAX_PORT}`);
  if (typeof hostname !== "string") throw unusable("hostname", hostname, "a name or an address");
  return { port: number, hostname: hostname === "" ? "127.0.0.1" : hostname };
}

function unusable(option: keyof ListenAddress, given: unknown, expected: string): WorkflowError {
  const message = `the option "${option}" is ${JSON.stringify(given)}; expected ${expected}`;
  return new WorkflowError("DEPLOY_OPTIONS_INVALID", message, { option });
}

/** Other values would become a number too: null is 0, which is any free port. */
const toNumber = (port: unknown): number =>
  typeof port === "number" || (typeof port === "string" && /^\s*\d+\s*$/u.test(port))
    ? Number(port)
    : Number.NaN;

const USE = "use 127.0.0.1, or 0.0.0.0 for all";
const NO_ADDRESS = `this machine has no such address; ${USE}`;
const NO_NAME = `the name does not resolve to an address; ${USE}`;

/** What prevents a server from listening and what to do, by the code of the runtime's error. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    "another program is using it; stop that program, or choose another port (0 picks a free one)",
  EACCES: "this process may not use it; choose a port of 1024 or above",
  EADDRNOTAVAIL: NO_ADDRESS,
  EAFNOSUPPORT: NO_ADDRESS,
  EINVAL: NO_ADDRESS,
  ENOTFOUND: NO_NAME,
  EAI_AGAIN: NO_NAME,
};

/** The error for a server that cannot listen: LISTEN_FAILED, or the error itself if it has another reason. */
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
   * Accepts no more connections and waits at most `graceMs` for the answers under way, then cuts them off. A second call waits for the
   * same end.
   */
  close(options?: { /** @default 5000 */ readonly graceMs?: DurationMs }): Promise<void>;
}

export interface Listener extends ListenAddress {
  /** Stops accepting connections; resolves when the answers under way are sent. */
  readonly stop: () => Promise<unknown>;
  /** Cuts off the answers under way. */
  readonly cut: () => void;
}

/**
 * Gives a listening server its orderly shutdown.
 *
 * @param listener `port` is the one that it is bound to
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
