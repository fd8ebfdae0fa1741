/** The memory store's state of a topic. */
import type { RunRef } from "../../core/model/records.ts";

/** A kept message. */
export interface MemoryMessage {
  readonly rowId: string;
  readonly sequence: number;
  readonly messageId: string | null;
  readonly message: string;
  readonly sizeBytes: number;
  readonly createdAt: number;
}

/** A wait that has not received a message yet. */
export interface MemoryWait {
  readonly id: string;
  readonly run: RunRef;
  readonly stepKey: string;
  /** The wait gets the first message above this. */
  readonly sequence: number;
}

/** A topic that has had a wait or a message. */
export interface MemoryTopic {
  readonly rowId: string;
  readonly name: string;
  sequence: number;
  messages: readonly MemoryMessage[];
  /** By step row id, oldest cursor first. */
  readonly waits: Map<string, MemoryWait>;
}
