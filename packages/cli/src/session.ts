/** What a command has: an engine, and where it prints. */
import type { Command } from "commander";
import type { Engine } from "@escapement/engine";
import type { Send } from "./client.ts";
import { connect, type ConnectionOptions } from "./connect.ts";
import { toPlainJson } from "./plain-text.ts";
import { hideToken } from "./hide-token.ts";

/** Options that every command has. */
export interface SharedOptions extends ConnectionOptions {
  readonly json?: true;
}

/** One command under way. */
export interface Session {
  readonly send: Send;
  /** null: it is reached over HTTP alone. */
  readonly engine: Engine | null;
  /** Characters of a line; null: output goes to no terminal, and is cut nowhere. */
  readonly width: number | null;
  /** Prints an answer as JSON, where that was asked for, or as a text. */
  print(answer: unknown, toText: () => string): void;
}

/** Does a command's work with an engine, which is closed then. */
export async function withSession(
  command: Command,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const options = readOptions(command);
  const connection = await connect(options);
  try {
    await work({
      send: connection.send,
      engine: connection.engine ?? null,
      width: widthOfTerminal(),
      print: (answer, toText) => {
        const text = options.json ? `${toPlainJson(answer, 2)}\n` : toText();
        process.stdout.write(hideToken(text, options.token));
      },
    });
  } finally {
    await connection.close();
  }
}

/** What is given on the command line goes before the environment; an empty variable counts for nothing. */
function readOptions(command: Command): SharedOptions {
  const options: SharedOptions = command.optsWithGlobals();
  const given = (name: "url" | "token" | "engine"): string | undefined =>
    options[name] || undefined;
  const isByHand = (name: "url" | "engine"): boolean =>
    command.getOptionValueSourceWithGlobals(name) === "cli";
  const url = isByHand("engine") && !isByHand("url") ? undefined : given("url");
  const engine = isByHand("url") && !isByHand("engine") ? undefined : given("engine");
  return { ...options, url, engine, token: given("token") };
}

/** An exported COLUMNS goes before what the terminal says. */
function widthOfTerminal(): number | null {
  const columns = Number(process.env["COLUMNS"] ?? process.stdout.columns);
  return Number.isInteger(columns) && columns > 0 ? columns : null;
}
