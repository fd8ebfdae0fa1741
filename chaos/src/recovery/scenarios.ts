/** The faults that recovery is measured by. */
import type { Fleet } from "../fleet.ts";
import type { SubjectFaults } from "../subjects/subject.ts";

export interface Scene {
  readonly fleet: Fleet;
  readonly faults: Partial<SubjectFaults>;
  /** The slot whose process holds the most instances. */
  readonly busiest: number;
}

export interface Scenario {
  readonly name: string;
  /** How long the fault itself lasts. */
  readonly lastsMs: number;
  readonly needs: keyof SubjectFaults | null;
  /** Makes the fault; resolves when it is over. */
  readonly play: (scene: Scene) => Promise<void>;
  /** Sets right what the fault left, after the measurement. */
  readonly repair?: (scene: Scene) => void;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function untilDead({ fleet }: Scene, slot: number): Promise<void> {
  while (fleet.slot(slot).isAlive) await pause(1);
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "SIGKILL of one of three processes",
    lastsMs: 0,
    needs: null,
    play: async (scene) => {
      scene.fleet.kill(scene.busiest);
      await untilDead(scene, scene.busiest);
    },
    repair: ({ fleet, busiest }) => fleet.start(busiest),
  },
  {
    name: "SIGKILL, and a process with the same `runnerId` starts at once",
    lastsMs: 0,
    needs: null,
    play: async (scene) => {
      scene.fleet.kill(scene.busiest);
      await untilDead(scene, scene.busiest);
      scene.fleet.start(scene.busiest);
      while (!scene.fleet.slot(scene.busiest).isReady) await pause(1);
    },
  },
  {
    name: "SIGSTOP of one of three processes for 40 s",
    lastsMs: 40_000,
    needs: null,
    play: async ({ fleet, busiest }) => {
      fleet.freeze(busiest);
      await pause(40_000);
      fleet.thaw(busiest);
    },
  },
  {
    name: "all connections go silent (half-open)",
    lastsMs: 0,
    needs: "silence",
    play: async ({ faults }) => faults.silence?.("now"),
  },
  {
    name: "all connections go silent in mid-request, with their locks",
    lastsMs: 0,
    needs: "silence",
    play: async ({ faults }) => faults.silence?.("mid-request"),
  },
  {
    name: "database down for 15 s",
    lastsMs: 15_000,
    needs: "halt",
    play: async ({ faults }) => {
      await faults.halt?.();
      await pause(15_000);
      await faults.restart?.();
    },
  },
  {
    name: "database stalled for 10 s",
    lastsMs: 10_000,
    needs: "stall",
    play: async ({ faults }) => {
      faults.stall?.(true);
      await pause(10_000);
      faults.stall?.(false);
    },
  },
  {
    name: "every answer lost for 5 s",
    lastsMs: 5000,
    needs: "deliver",
    play: async ({ faults }) => {
      faults.deliver?.(() => ({ kind: "lose-answer" }));
      await pause(5000);
      faults.deliver?.(null);
    },
  },
  {
    name: "database read-only for 10 s",
    lastsMs: 10_000,
    needs: "readOnly",
    play: async ({ faults }) => {
      await faults.readOnly?.(true);
      await pause(10_000);
      await faults.readOnly?.(false);
    },
  },
  {
    name: "all back ends terminated",
    lastsMs: 0,
    needs: "terminate",
    play: async ({ faults }) => faults.terminate?.(1),
  },
  {
    name: "disk full for 10 s",
    lastsMs: 10_000,
    needs: "fillDisk",
    play: async ({ faults }) => {
      faults.fillDisk?.();
      await pause(10_000);
      await faults.freeDisk?.();
    },
  },
];
