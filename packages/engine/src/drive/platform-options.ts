/** Checks the names of the options of every platform. */
import { assertKnownOptions } from "../core/known-names.ts";
import type { DriveOptions } from "./drive.ts";

/** Options of `drive` that a platform takes, too. It does not take `hopCount`, which the platform knows itself. */
export const DRIVE_OPTIONS: Readonly<
  Record<keyof Omit<DriveOptions, "hopCount" | "tripsLeft" | "wakesFor">, 1>
> = {
  maxInstances: 1,
  maxSteps: 1,
  lingerMs: 1,
  lingerEndsAt: 1,
  thenWakeAt: 1,
  held: 1,
  signal: 1,
  maxHops: 1,
  passesOn: 1,
  logger: 1,
};

/**
 * Refuses options of a platform that nothing reads.
 *
 * @param known every name that there is
 * @param of whose they are, for the message
 * @throws {WorkflowError} UNKNOWN_OPTION, with the name that was most likely meant
 */
export const assertPlatformOptions = <TOptions extends object>(
  options: TOptions,
  known: Readonly<Record<keyof TOptions, 1>>,
  of = "the platform",
): void => assertKnownOptions(of, options, known);
