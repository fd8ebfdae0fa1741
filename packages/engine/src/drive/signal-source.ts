/** What ends a process from outside, and how a process learns of it. */

/** The part of `process` that matters here. Without the optional ones, a wait that a signal ends is an error as any other. */
export interface SignalSource {
  on(signal: StopSignal, listener: () => void): unknown;
  on(event: "uncaughtException", listener: (error: unknown) => void): unknown;
  off(signal: StopSignal, listener: () => void): unknown;
  off(event: "uncaughtException", listener: (error: unknown) => void): unknown;
  listenerCount?(event: "uncaughtException"): number;
  exit?(code: number): void;
  readonly stderr?: { write(text: string): unknown };
}

export type StopSignal = "SIGTERM" | "SIGINT";
