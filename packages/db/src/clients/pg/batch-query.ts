/**
 * One batch on one connection: N × (Parse) Bind (Describe) Execute and ONE Sync. Without BEGIN, everything up to Sync is
 * one implicit transaction: an error undoes all of it, and there is one round trip.
 *
 * @source https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING (read 2026-11)
 */
import type { Connection, Submittable } from "pg";
import type { Row, Statement } from "../../batch.ts";
import { DatabaseError } from "../../errors.ts";
import {
  type ConnectionMemory,
  isRowless,
  type PreparedStatement,
  rememberRowless,
} from "./connection-memory.ts";
import { MessageWriter } from "./message-writer.ts";
import { type FieldDescription, RowDecoder } from "../row-decoder.ts";

/** Called once: with an error, or with the rows of every statement. */
export type BatchDone = (error: unknown, rows: readonly (readonly Row[])[]) => void;

const NO_ROWS: readonly Row[] = [];
const writer = new MessageWriter();

/** A submittable, as `pg` calls it: its client passes it the connection, then every message up to ReadyForQuery. */
export class BatchQuery implements Submittable {
  readonly #statements: readonly Statement[];
  readonly #memory: ConnectionMemory | null;
  readonly #done: BatchDone;
  readonly #prepared: (PreparedStatement | null)[] = [];
  /** The statements that this batch prepares, each with the position of its first use. */
  readonly #parsed: { readonly prepared: PreparedStatement; readonly index: number }[] = [];
  readonly #results: (readonly Row[])[] = [];
  #decoder: RowDecoder | null = null;
  #rows: Row[] | null = null;
  #finished = false;

  /** @param memory prepared statements of the connection; null: unnamed statements only */
  constructor(statements: readonly Statement[], memory: ConnectionMemory | null, done: BatchDone) {
    this.#statements = statements;
    this.#memory = memory;
    this.#done = done;
  }

  /** Sends everything in one write. A returned error reaches `handleError`. */
  submit(connection: Connection): Error | null {
    try {
      for (const statement of this.#statements) this.#write(statement);
      writer.sync();
      connection.stream.write(writer.take());
      this.#decoder = this.#prepared[0]?.decoder ?? null;
      return null;
    } catch (error) {
      writer.reset();
      return error instanceof Error
        ? error
        : new DatabaseError("DATABASE_REJECTED", String(error), error);
    }
  }

  #write({ text, values }: Statement): void {
    const prepared = this.#memory === null ? null : this.#memory.prepared(text);
    this.#prepared.push(prepared);
    if (prepared === null) {
      writer.parse("", text);
      writer.bind("", values);
      if (!isRowless(text)) writer.describe();
    } else if (prepared.state === "ready") {
      writer.bind(prepared.name, values);
    } else {
      if (prepared.state === "unsure") writer.close(prepared.name);
      writer.parse(prepared.name, text);
      writer.bind(prepared.name, values);
      writer.describe();
      // If the batch contains the same text again, it is already prepared. If the batch fails before that, `handleError` undoes this.
      prepared.state = "ready";
      this.#parsed.push({ prepared, index: this.#prepared.length - 1 });
    }
    writer.execute();
  }

  handleRowDescription(message: { readonly fields: readonly FieldDescription[] }): void {
    this.#decoder = new RowDecoder(message.fields);
    const prepared = this.#prepared[this.#results.length];
    if (prepared !== null && prepared !== undefined) prepared.decoder = this.#decoder;
  }

  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void {
    // A prepared statement that was first used in this batch has its decoder by now.
    this.#decoder ??= this.#prepared[this.#results.length]?.decoder ?? null;
    if (this.#decoder === null) return;
    this.#rows ??= [];
    this.#rows.push(this.#decoder.decode(message.fields));
  }

  handleCommandComplete(): void {
    const index = this.#results.length;
    if (this.#prepared[index] === null && this.#decoder === null) {
      rememberRowless(this.#statements[index]?.text ?? "");
    }
    this.#results.push(this.#rows ?? NO_ROWS);
    this.#rows = null;
    this.#decoder = this.#prepared[index + 1]?.decoder ?? null;
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete();
  }

  handleReadyForQuery(): void {
    this.#finish(null);
  }

  /** An error from the server, from `submit`, or because the connection was lost. */
  handleError(error: unknown): void {
    // What ran is prepared. The statement that failed and those after it may or may not be.
    for (const { prepared, index } of this.#parsed) {
      if (index >= this.#results.length) prepared.state = "unsure";
    }
    this.#finish(error);
  }

  handlePortalSuspended(): void {
    // Never happens, because Execute asks for all rows.
  }

  handleCopyInResponse(connection: Connection): void {
    // The server waits for data that never comes. Ending the connection is the only way out that cannot hang; the error then reaches
    // `handleError`.
    connection.stream.destroy(
      new DatabaseError("DATABASE_REJECTED", "COPY cannot be part of a batch"),
    );
  }

  handleCopyData(): void {
    // The output of a COPY TO is dropped.
  }

  #finish(error: unknown): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#done(error, this.#results);
  }
}
