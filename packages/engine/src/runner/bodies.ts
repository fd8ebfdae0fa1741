/** The bodies of a session that are in flight, by step key. */
import type { StepWrite } from "../core/model/change.ts";
import type { RunningBody } from "./body.ts";

export interface BodyInFlight {
  readonly body: RunningBody;
  /** Its attempt; null: what runs is not an attempt of a step. */
  readonly started: StepWrite | null;
  /** Its attempt is written; otherwise the lease stands for it. */
  hasRow: boolean;
}

export type Bodies = Map<string, BodyInFlight>;

/** The attempts that have no row yet; they are taken to have one from now on. */
export function takeUnwritten(bodies: Bodies): readonly StepWrite[] {
  const unwritten: StepWrite[] = [];
  for (const inFlight of bodies.values()) {
    if (inFlight.started === null || inFlight.hasRow) continue;
    inFlight.hasRow = true;
    unwritten.push(inFlight.started);
  }
  return unwritten;
}

/** Abandons all. @returns the attempts that were in flight */
export function dropBodies(bodies: Bodies, reason: string): readonly StepWrite[] {
  const dropped = [...bodies.values()];
  bodies.clear();
  for (const { body } of dropped) body.abandon(reason);
  return dropped.flatMap(({ started }) => started ?? []);
}
