/** Who is measured: our engine, or the floor. */
import type { WorkInput, WorkName } from "./work.ts";

export interface Contender {
  /** Creates an instance; resolves with its id once it is stored. */
  start(name: WorkName, input: WorkInput): Promise<string>;
  sendEvent(id: string, payload: unknown): Promise<void>;
  /** Resolves once the instance's last state is stored. */
  ended(id: string): Promise<unknown>;
  /** Resolves once the instance's first wait is stored. */
  parked(id: string): Promise<unknown>;
  close(): Promise<void>;
}
