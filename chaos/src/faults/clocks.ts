/** Clocks of processes that are wrong and jump, by faketime. Its monotonic clock stays true, as a machine's would. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { clockEnvironment } from "@escapement-internal/test-servers";

export interface Clocks {
  /** Slots whose processes have such a clock. */
  readonly slots: readonly number[];
  envOf(slot: number): Readonly<Record<string, string>>;
  /** Sets the clock of a slot's processes so far off the true time. */
  jump(slot: number, seconds: number): void;
}

/** null where faketime is not installed. @param folder for the files that say how wrong each clock is */
export function createClocks(folder: string, slots: readonly number[]): Clocks | null {
  const preload = clockEnvironment("+0")?.["LD_PRELOAD"];
  if (preload === undefined) {
    console.warn("SKIPPED: faketime is not installed; processes with a wrong clock are left out");
    return null;
  }
  const fileOf = (slot: number): string => join(folder, `clock-${slot}`);
  const jump = (slot: number, seconds: number): void =>
    writeFileSync(fileOf(slot), `${seconds < 0 ? "" : "+"}${seconds}\n`);
  for (const slot of slots) jump(slot, 0);
  return {
    slots,
    jump,
    envOf: (slot) =>
      slots.includes(slot)
        ? {
            LD_PRELOAD: preload,
            FAKETIME_TIMESTAMP_FILE: fileOf(slot),
            FAKETIME_CACHE_DURATION: "1",
            FAKETIME_DONT_FAKE_MONOTONIC: "1",
          }
        : {},
  };
}
