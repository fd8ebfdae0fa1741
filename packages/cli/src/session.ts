/** The context of a command: an engine, and its output. */
import type { Command } from "commander";
import type { Engine } from "@escapement/engine";
import { notTheApi, type Send } from "./client.ts";
import { connect } from "./connect.ts";
import { hideToken } from "./hide-token.ts";
import { toPlainJson } from "./plain-text.ts";
import { type ConnectionOptions, readOptions } from "./ways.ts";

/** A running command. */
export interface Session extends Output {
  readonly send: Send;
  /** null: only reachable over HTTP. */
  readonly engine: Engine | null;
}

/** The output of a command. */
export interface Output {
  /** Characters per line; null: the output is not a terminal, and nothing is cut. */
  readonly width: number | null;
  readonly isJson: boolean;
  /** Secrets that no message may contain. */
  readonly secrets: Pick<ConnectionOptions, "token" | "db">;
  /** Prints a text without the token. */
  write(text: string): void;
  /** Prints an answer: as JSON if that was requested, otherwise as text. */
  print(answer: unknown, toText: () => string): void;
}

/** Runs a command's work with an engine, and closes the engine after it. */
export async function withSession(
  command: Command,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const connection = await connect(readOptions(command));
  const { send, engine = null } = connection;
  try {
    await work({ send, engine, ...toOutput(command) });
  } catch (error) {
    // The answer of another server lacks what is read from it here.
    throw engine === null && error instanceof TypeError
      ? notTheApi({ status: 200, location: null })
      : error;
  } finally {
    await connection.close();
  }
}

/** The output of a command that needs no engine. */
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

/** An exported COLUMNS takes precedence over the terminal's own width. */
function widthOfTerminal(): number | null {
  const columns = Number(process.env["COLUMNS"] ?? process.stdout.columns);
  return Number.isInteger(columns) && columns > 0 ? columns : null;
}
