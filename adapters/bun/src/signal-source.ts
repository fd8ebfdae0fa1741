/** Bun's process, as the loop asks it about signals and errors. */
import type { SignalSource } from "@escapement/engine/adapter";

/** The part of Bun's `process` that the adapter uses. */
export interface BunProcess {
  on(event: string, listener: (error: unknown) => void): unknown;
  off(event: string, listener: (error: unknown) => void): unknown;
  listenerCount(event: string): number;
  exit(code: number): void;
  readonly stderr: { write(text: string): unknown };
}

/**
 * Tells of rejections that nobody has caught as Node does, as uncaught exceptions. Bun does so only where the program itself awaits
 * them; of the others it tells apart.
 *
 * @source run on Bun 1.4.5
 */
export function toSignalSource(process: BunProcess): SignalSource {
  const { stderr } = process;
  const all = (event: string): readonly string[] =>
    event === "uncaughtException" ? [event, "unhandledRejection"] : [event];
  return {
    on: (event: string, listener: (error: unknown) => void) =>
      all(event).map((name) => process.on(name, listener)),
    off: (event: string, listener: (error: unknown) => void) =>
      all(event).map((name) => process.off(name, listener)),
    listenerCount: (event) => Math.max(...all(event).map((name) => process.listenerCount(name))),
    exit: (code) => process.exit(code),
    stderr,
  };
}
