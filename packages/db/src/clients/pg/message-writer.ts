/**
 * Writes the messages of one batch into one buffer, so that they leave in one write.
 *
 * @source https://www.postgresql.org/docs/current/protocol-message-formats.html (read 2026-11)
 */
import type { SqlValue } from "../../batch.ts";
import { DatabaseError } from "../../errors.ts";

const INITIAL_BYTES = 16 * 1024;
/** A buffer that a large payload has made larger than this is discarded. */
const KEPT_BYTES = 1024 * 1024;
/** For shorter texts, three bytes per character are reserved without measuring. */
const MEASURED_LENGTH = 4096;
// The number of parameters is an unsigned 16-bit integer.
const MAX_PARAMETERS = 65_535;

const DESCRIBE_PORTAL = Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0]);
const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);
const PARSE = 0x50;
const BIND = 0x42;
const CLOSE = 0x43;
const STATEMENT = 0x53;

/** Collects messages; `take` returns them and starts again. One writer serves all connections, because it never awaits. */
export class MessageWriter {
  #buffer: Buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  #length = 0;

  /** Discards what was written since the last `take`. */
  reset(): void {
    this.#length = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  }

  /** Prepares `text` as `name`; the empty name is the unnamed statement. */
  parse(name: string, text: string): void {
    if (text.includes("\0"))
      throw new DatabaseError("DATABASE_REJECTED", "SQL text contains a NUL character");
    const start = this.#begin(PARSE);
    this.#cString(name);
    this.#cString(text);
    this.#int16(0);
    this.#end(start);
  }

  /** Binds values, as text, to the statement `name` on the unnamed portal; results come as text. */
  bind(name: string, values: readonly SqlValue[]): void {
    const count = values.length;
    if (count > MAX_PARAMETERS) {
      throw new DatabaseError(
        "DATABASE_REJECTED",
        `${count} parameters; Postgres takes ${MAX_PARAMETERS}`,
      );
    }
    const start = this.#begin(BIND);
    this.#cString("");
    this.#cString(name);
    this.#int16(0);
    this.#int16(count);
    for (let index = 0; index < count; index += 1) this.#value(values[index]);
    this.#int16(0);
    this.#end(start);
  }

  /** Asks for the columns of the portal. */
  describe(): void {
    this.#bytes(DESCRIBE_PORTAL);
  }

  /** Runs the portal to its end. */
  execute(): void {
    this.#bytes(EXECUTE);
  }

  /** Closes the prepared statement `name`; no error if it does not exist. */
  close(name: string): void {
    const start = this.#begin(CLOSE);
    this.#reserve(1);
    this.#buffer[this.#length] = STATEMENT;
    this.#length += 1;
    this.#cString(name);
    this.#end(start);
  }

  /** Ends the implicit transaction. */
  sync(): void {
    this.#bytes(SYNC);
  }

  /** Everything written so far, as a copy, because the socket may keep it after the next batch has begun. */
  take(): Buffer {
    const bytes = Buffer.allocUnsafe(this.#length);
    this.#buffer.copy(bytes, 0, 0, this.#length);
    this.reset();
    return bytes;
  }

  #begin(type: number): number {
    this.#reserve(5);
    const start = this.#length;
    this.#buffer[start] = type;
    this.#length = start + 5;
    return start;
  }

  // The length includes itself but not the type.
  #end(start: number): void {
    this.#buffer.writeInt32BE(this.#length - start - 1, start + 1);
  }

  #value(value: SqlValue | undefined): void {
    this.#reserve(4);
    const start = this.#length;
    this.#length = start + 4;
    if (value === null || value === undefined) {
      this.#buffer.writeInt32BE(-1, start);
      return;
    }
    this.#text(typeof value === "string" ? value : String(value));
    this.#buffer.writeInt32BE(this.#length - start - 4, start);
  }

  #cString(text: string): void {
    if (text !== "") this.#text(text);
    this.#reserve(1);
    this.#buffer[this.#length] = 0;
    this.#length += 1;
  }

  #text(text: string): void {
    // UTF-8 takes at most three bytes for a UTF-16 unit. Long text is measured, to avoid reserving three times its size.
    this.#reserve(text.length < MEASURED_LENGTH ? text.length * 3 : Buffer.byteLength(text));
    this.#length += this.#buffer.write(text, this.#length);
  }

  #int16(value: number): void {
    this.#reserve(2);
    this.#buffer.writeUInt16BE(value, this.#length);
    this.#length += 2;
  }

  #bytes(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(byteCount: number): void {
    const needed = this.#length + byteCount;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
