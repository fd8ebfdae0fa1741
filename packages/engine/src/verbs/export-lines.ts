/** Reads the lines of a file that comes in pieces. It never holds more than the longest line that is allowed. */
import { WorkflowError } from "../core/errors.ts";
import { MAX_LINE_LENGTH } from "../core/move/format.ts";
import type { ExportChunks } from "../ports/move.ts";

/** @throws {WorkflowError} IMPORT_INVALID, with the line — it is not UTF-8, or too long */
export async function* readLines(chunks: ExportChunks): AsyncGenerator<string, void, undefined> {
  const line = new Line();
  for await (const chunk of chunks) {
    const size = chunk.length;
    for (let at = 0; at < size;) {
      const end = typeof chunk === "string" ? chunk.indexOf("\n", at) : chunk.indexOf(0x0a, at);
      line.add(chunk, at, end === -1 ? size : end);
      if (end !== -1) yield line.take();
      at = end === -1 ? size : end + 1;
    }
  }
  const last = line.take();
  if (last !== "") yield last;
}

/** The part of a line that has arrived. */
class Line {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #parts: string[] = [];
  #length = 0;
  /** From 1. */
  #number = 1;

  add(chunk: string | Uint8Array, from: number, to: number): void {
    const text =
      typeof chunk === "string"
        ? this.#decode() + chunk.slice(from, to)
        : this.#decode(chunk.subarray(from, to));
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length > MAX_LINE_LENGTH)
      throw this.#invalid(`it has more than ${MAX_LINE_LENGTH} characters`);
  }

  /** Returns the line without its line end, and begins the next one. */
  take(): string {
    const text = this.#parts.join("") + this.#decode();
    this.#parts = [];
    this.#length = 0;
    this.#number += 1;
    return text;
  }

  /** @param bytes absent: the input has ended */
  #decode(bytes?: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw this.#invalid("it is not UTF-8");
    }
  }

  #invalid(why: string): WorkflowError {
    const line = this.#number;
    const message = `line ${line}: the export cannot be read: ${why}`;
    return new WorkflowError("IMPORT_INVALID", message, { line });
  }
}
