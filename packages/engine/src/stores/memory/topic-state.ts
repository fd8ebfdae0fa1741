/** What the memory store has of a topic. */
import type { RunRef } from "../../core/model/records.ts";

/** A message that is kept. */
export interface MemoryMessage {
  readonly rowId: string;
  readonly sequence: number;
  readonly messageId: string | null;
  readonly message: string;
  readonly sizeBytes: number;
  readonly createdAt: number;
}

/** A wait that has yet to get a message. */
export interface MemoryWait {
  readonly id: string;
  readonly run: RunRef;
  readonly stepKey: string;
  /** The wait is to get the first message above it. */
  readonly sequence: number;
}

/** A topic that somebody has waited for or emitted to. */
export interface MemoryTopic {
  readonly rowId: string;
  readonly name: string;
  sequence: number;
  messages: readonly MemoryMessage[];
  /** By step row id, oldest cursor first. */
  readonly waits: Map<string, MemoryWait>;
}
