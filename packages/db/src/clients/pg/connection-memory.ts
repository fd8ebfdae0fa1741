/** What is known about statements: which are prepared on a connection, and which return rows. */
import { createHash } from "node:crypto";
import type { RowDecoder } from "../row-decoder.ts";

/** A statement that is prepared, or being prepared, on one connection. */
export interface PreparedStatement {
  readonly name: string;
  /** `new`: never sent. `ready`: the server has it. `unsure`: it was sent and the batch failed. */
  state: "new" | "ready" | "unsure";
  /** Decodes its rows; null: it returns none. The server refuses to run it once its columns change. */
  decoder: RowDecoder | null;
}

/** Texts beyond this number on one connection stay unnamed, so that a caller with generated texts does not fill the server's memory. */
const MAX_PREPARED = 1000;

/** Prepared statements of one connection, and when it was opened. */
export class ConnectionMemory {
  /** By the clock of `performance.now()`, in milliseconds. */
  readonly openedAtMs: number = performance.now();
  readonly #prepared = new Map<string, PreparedStatement>();

  /** The prepared statement for a text, or null if there are too many. */
  prepared(text: string): PreparedStatement | null {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    if (this.#prepared.size >= MAX_PREPARED) return null;
    const added: PreparedStatement = {
      name: nameOf(text),
      state: "new",
      decoder: null,
    };
    this.#prepared.set(text, added);
    return added;
  }
}

// Derived from the text, so that behind a pooler that mixes up servers, a name never runs another statement.
function nameOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 24);
}

const MAX_ROWLESS = 5000;
const rowless = new Set<string>();

/** Whether a statement is known to return no rows; an insert, update or delete without RETURNING never does. */
export function isRowless(text: string): boolean {
  return rowless.has(text);
}

/** Remembers that the server described the statement as one without rows. */
export function rememberRowless(text: string): void {
  if (rowless.size >= MAX_ROWLESS) rowless.clear();
  rowless.add(text);
}
