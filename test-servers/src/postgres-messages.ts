/** Messages and requests of PostgreSQL's wire protocol, as a client sends them. */

/** One message: its type byte as text, "" for a start-up message, which has none. */
export interface ClientMessage {
  readonly type: string;
  /** The whole message, header included. */
  readonly bytes: Buffer;
}

/**
 * Cuts what a client sends into messages; they are given to `take` as soon as they are whole.
 *
 * @source https://www.postgresql.org/docs/current/protocol-message-formats.html (read 2026-11): after the start-up
 *   message each message is a type byte and a length that counts itself
 */
export function createMessageReader(
  take: (message: ClientMessage) => void,
): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  let started = false;
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const header = started ? 5 : 4;
      if (pending.length < header) return;
      const length = pending.readInt32BE(header - 4) + header - 4;
      if (pending.length < length) return;
      const bytes = pending.subarray(0, length);
      pending = pending.subarray(length);
      take({ type: started ? String.fromCharCode(bytes[0] ?? 0) : "", bytes });
      // SSLRequest and GSSENCRequest are 8 bytes; the start-up message proper is longer.
      started ||= length > 8;
    }
  };
}

/** What the server answers as one: everything up to Sync or Flush, a simple Query, or a message of the handshake. */
export interface ClientRequest {
  /** A Sync or a Query ends it: the server does work and answers ReadyForQuery. */
  readonly isBatch: boolean;
  /** All of it but its last message: after this the server has begun and waits for more. */
  readonly opening: Buffer;
  readonly bytes: Buffer;
}

// Parse, Bind, Describe, Execute, Close: the server may hold back its answers until Sync or Flush.
const UNFINISHED = new Set(["P", "B", "D", "E", "C"]);

/** Gathers messages into requests. */
export function createRequestReader(
  take: (request: ClientRequest) => void,
): (message: ClientMessage) => void {
  let gathered: Buffer[] = [];
  return ({ type, bytes }) => {
    if (UNFINISHED.has(type)) {
      gathered.push(bytes);
      return;
    }
    const opening = Buffer.concat(gathered);
    gathered = [];
    take({
      isBatch: type === "S" || type === "Q",
      opening,
      bytes: Buffer.concat([opening, bytes]),
    });
  };
}
