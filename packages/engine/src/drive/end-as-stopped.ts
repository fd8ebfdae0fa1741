/** How a program ends that a signal has stopped while it waited for an instance. */
import { WorkflowError } from "../core/errors.ts";
import type { SignalSource, StopSignal } from "./signal-source.ts";

/** What a shell reports of a program that a signal has ended. */
const EXIT_CODES: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * From now on, a wait that nobody catches ends the program once everything is closed: with a line instead of a stack, and with the
 * exit code of the signal. Other errors end it as they always do. If the program has a listener of its own, that one decides.
 */
export function endAsStopped(
  process: SignalSource,
  signal: StopSignal,
  stopped: Promise<void>,
): void {
  const { exit, stderr } = process;
  const isOwn = process.listenerCount?.("uncaughtException") !== 0;
  if (isOwn || exit === undefined || stderr === undefined) return;
  let isTold = false;
  const onError = (error: unknown): void => {
    if (!isOfClosing(error)) {
      process.off("uncaughtException", onError);
      // Thrown again where nobody listens any more.
      return queueMicrotask(() => {
        throw error;
      });
    }
    if (isTold) return;
    isTold = true;
    stderr.write(`stopped by ${signal}: ${error.message}\n`);
    void exitAfter(stopped);
  };
  const exitAfter = async (end: Promise<void>): Promise<void> => {
    await end.catch(() => undefined);
    exit.call(process, EXIT_CODES[signal]);
  };
  process.on("uncaughtException", onError);
}

/** A wait was ended, or a call came too late. */
const isOfClosing = (error: unknown): error is WorkflowError =>
  WorkflowError.is(error) && (error.code === "ENGINE_CLOSED" || error.code === "STORE_UNAVAILABLE");
