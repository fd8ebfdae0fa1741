/** Does to a fleet and its database what the schedule says. */
import type { Fleet } from "../fleet.ts";
import type { Subject } from "../subjects/subject.ts";
import type { Clocks } from "./clocks.ts";
import type { Fault } from "./schedule.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface Stage {
  readonly fleet: Fleet;
  readonly subject: Subject;
  readonly clocks: Clocks | null;
  /** Told of each fault that is played, and of those that could not be. */
  readonly note: (text: string) => void;
}

/** Faults that were done, by kind, and processes killed. */
export interface Played {
  readonly counts: ReadonlyMap<string, number>;
  readonly killCount: number;
}

/** Plays a schedule to its end; then everything is well again. */
export async function playSchedule(stage: Stage, schedule: readonly Fault[]): Promise<Played> {
  const counts = new Map<string, number>();
  const player = new Player(stage);
  const startedAt = performance.now();
  const running: Promise<void>[] = [];
  for (const fault of schedule) {
    await pause(Math.max(0, fault.atMs - (performance.now() - startedAt)));
    counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1);
    stage.note(describe(stage, fault));
    running.push(
      player
        .play(fault)
        .catch((error: unknown) =>
          stage.note(`${fault.kind} could not be played: ${String(error)}`),
        ),
    );
  }
  await Promise.all(running);
  for (let slot = 0; slot < stage.fleet.size; slot += 1) {
    stage.fleet.thaw(slot);
    stage.fleet.start(slot);
  }
  return { counts, killCount: player.killCount };
}

const describe = ({ fleet }: Stage, fault: Fault): string =>
  JSON.stringify("slot" in fault ? { ...fault, pid: fleet.slot(fault.slot).pid } : fault);

class Player {
  killCount = 0;
  readonly #stage: Stage;
  /** The database is restarted, stalled, filled or read-only: one of them at a time. */
  #isDatabaseBusy = false;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async play(fault: Fault): Promise<void> {
    const { fleet, subject, clocks } = this.#stage;
    const { faults } = subject;
    switch (fault.kind) {
      case "kill":
        return this.#kill([fault.slot], fault.restartMs);
      case "kill-all":
        return this.#kill([...Array(fleet.size).keys()], fault.restartMs);
      case "freeze":
        if (!fleet.freeze(fault.slot)) return;
        await pause(fault.ms);
        return fleet.thaw(fault.slot);
      case "jump":
        return clocks?.jump(fault.slot, fault.seconds);
      case "cut":
        return faults.cut?.();
      case "silence":
        return faults.silence?.("now");
      case "mid-request":
        return faults.silence?.("mid-request");
      case "terminate":
        if (this.#isDatabaseBusy) return;
        return faults.terminate?.(fault.share);
      case "restart":
        return this.#withDatabase(async () => faults.restart?.());
      case "stall":
        return this.#withDatabase(async () => {
          faults.stall?.(true);
          await pause(fault.ms);
          faults.stall?.(false);
        });
      case "read-only":
        return this.#withDatabase(async () => {
          await faults.readOnly?.(true);
          await pause(fault.ms);
          await faults.readOnly?.(false);
        });
      case "disk":
        return this.#withDatabase(async () => {
          faults.fillDisk?.();
          await pause(fault.ms);
          await faults.freeDisk?.();
        });
    }
  }

  async #kill(slots: readonly number[], restartMs: number): Promise<void> {
    const { fleet } = this.#stage;
    const pids = slots.map((slot) => fleet.slot(slot).pid);
    for (const slot of slots) if (fleet.kill(slot)) this.killCount += 1;
    await pause(restartMs);
    for (const [index, slot] of slots.entries()) {
      // The killed process may take a moment to be gone.
      while (fleet.slot(slot).isAlive && fleet.slot(slot).pid === pids[index]) await pause(1);
      fleet.start(slot);
    }
  }

  async #withDatabase(act: () => Promise<void>): Promise<void> {
    if (this.#isDatabaseBusy) return;
    this.#isDatabaseBusy = true;
    try {
      await act();
    } finally {
      this.#isDatabaseBusy = false;
    }
  }
}
