/** What a command has: an engine, and where it prints. */
import type { Command } from "commander";
import type { Engine } from "@escapement/engine";
import { notTheApi, type Send } from "./client.ts";
import { connect } from "./connect.ts";
import { hideToken } from "./hide-token.ts";
import { toPlainJson } from "./plain-text.ts";
import { type ConnectionOptions, readOptions } from "./ways.ts";

/** One command under way. */
export interface Session extends Output {
  readonly send: Send;
  /** null: it is reached over HTTP alone. */
  readonly engine: Engine | null;
}

/** Where a command prints. */
export interface Output {
  /** Characters of a line; null: output goes to no terminal, and is cut nowhere. */
  readonly width: number | null;
  readonly isJson: boolean;
  /** What no message may have. */
  readonly secrets: Pick<ConnectionOptions, "token" | "db">;
  /** Prints a text without the token. */
  write(text: string): void;
  /** Prints an answer as JSON, where that was asked for, or as a text. */
  print(answer: unknown, toText: () => string): void;
}

/** Does a command's work with an engine, which is closed then. */
export async function withSession(
  command: Command,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const connection = await connect(readOptions(command));
  const { send, engine = null } = connection;
  try {
    await work({ send, engine, ...toOutput(command) });
  } catch (error) {
    // Another server's answer lacks what is read of it here.
    throw engine === null && error instanceof TypeError
      ? notTheApi({ status: 200, location: null })
      : error;
  } finally {
    await connection.close();
  }
}

/** Where a command prints that needs no engine. */
export function toOutput(command: Command): Output {
  const { json, token, db } = readOptions(command);
  const write = (text: string): void => void process.stdout.write(hideToken(text, token));
  return {
    width: widthOfTerminal(),
    isJson: json === true,
    secrets: { token, db },
    write,
    print: (answer, toText) => write(json ? `${toPlainJson(answer, 2)}\n` : toText()),
  };
}

/** An exported COLUMNS goes before what the terminal says. */
function widthOfTerminal(): number | null {
  const columns = Number(process.env["COLUMNS"] ?? process.stdout.columns);
  return Number.isInteger(columns) && columns > 0 ? columns : null;
}
