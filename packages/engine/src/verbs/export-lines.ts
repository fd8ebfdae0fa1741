/** The lines of a file that comes in pieces. No line is held that is longer than a line may be. */
import { WorkflowError } from "../core/errors.ts";
import { MAX_LINE_LENGTH } from "../core/move/format.ts";
import type { ExportChunks } from "../ports/move.ts";

/** @throws {WorkflowError} IMPORT_INVALID — it is no UTF-8, or a line is too long */
export async function* readLines(chunks: ExportChunks): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest: string[] = [];
  let restLength = 0;
  for await (const chunk of chunks) {
    const [first = "", ...others] = decode(decoder, chunk).split("\n");
    rest.push(first);
    restLength += first.length;
    if (restLength > MAX_LINE_LENGTH)
      throw invalid(`a line has more than ${MAX_LINE_LENGTH} characters`);
    for (const other of others) {
      yield rest.join("");
      rest = [other];
      restLength = other.length;
    }
  }
  const last = rest.join("") + decode(decoder, null);
  if (last !== "") yield last;
}

/** @param chunk null: there is no more */
function decode(decoder: TextDecoder, chunk: string | Uint8Array | null): string {
  if (typeof chunk === "string") return chunk;
  try {
    return chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw invalid("it is not UTF-8");
  }
}

const invalid = (why: string): WorkflowError =>
  new WorkflowError("IMPORT_INVALID", `the export cannot be read: ${why}`);
