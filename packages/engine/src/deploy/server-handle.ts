/** The server for the engine's HTTP API in a process, on any runtime. */
import { WorkflowError } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { DurationMs } from "../core/model/records.ts";
import { showValue } from "../core/show-value.ts";
import { assertOption } from "./deploy-service.ts";

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
  if (!(Number.isInteger(number) && number >= 0 && number <= MAX_PORT)) {
    const message = `the option "port" is ${showValue(port)}; expected a whole number from 0 to ${MAX_PORT}`;
    throw new WorkflowError("DEPLOY_OPTIONS_INVALID", message, { option: "port" });
  }
  assertOption("hostname", typeof hostname === "string", "a name or an address");
  return { port: number, hostname: hostname === "" ? "127.0.0.1" : hostname };
}

/** Other values would become a number too: null is 0, which is any free port. */
const toNumber = (port: unknown): number =>
  typeof port === "number" || (typeof port === "string" && /^\s*\d+\s*$/u.test(port))
    ? Number(port)
    : Number.NaN;

/** What prevents a server from listening and what to do, by the code of the runtime's error. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    "another program is using it; stop that program, or choose another port (0 picks a free one)",
  EACCES: "this process may not use it; choose a port of 1024 or above",
  EPERM: "this process may not use it; choose a port of 1024 or above",
  EADDRNOTAVAIL: "this machine has no such address; use 127.0.0.1, or 0.0.0.0 for all",
  EAFNOSUPPORT: "this machine has no such address; use 127.0.0.1, or 0.0.0.0 for all",
  EINVAL: "this machine has no such address; use 127.0.0.1, or 0.0.0.0 for all",
  ENOTFOUND: "the name does not resolve to an address; use 127.0.0.1, or 0.0.0.0 for all",
  EAI_AGAIN: "the name does not resolve to an address; use 127.0.0.1, or 0.0.0.0 for all",
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
