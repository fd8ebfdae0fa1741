/** Which engine a command is for. The command line takes precedence over the environment. */
import type { Command } from "commander";

/** Options that name an engine; a command takes one of them. */
const WAYS = ["url", "engine", "db"] as const;

type Way = (typeof WAYS)[number];

/** Options of every command. */
export interface ConnectionOptions extends Readonly<Partial<Record<Way, string | undefined>>> {
  /** For the API, or for a libSQL server. */
  readonly token?: string | undefined;
  /** The longest wait for an answer, in seconds. */
  readonly timeout: number;
}

/** Options that every command has. */
export interface SharedOptions extends ConnectionOptions {
  readonly json?: true;
}

/** An empty variable counts as not set. If one of the options is on the command line, those in the environment are ignored. */
export function readOptions(command: Command): SharedOptions {
  const options: SharedOptions = command.optsWithGlobals();
  const isByHand = (way: Way): boolean => command.getOptionValueSourceWithGlobals(way) === "cli";
  const chosen: readonly Way[] = WAYS.some(isByHand) ? WAYS.filter(isByHand) : WAYS;
  const valueOf = (way: Way): string | undefined =>
    chosen.includes(way) ? options[way] || undefined : undefined;
  return {
    ...options,
    url: valueOf("url"),
    engine: valueOf("engine"),
    db: valueOf("db"),
    token: options.token || undefined,
  };
}
