/** Decides which rows of its iterations a loop removes. */
import { iterationOf } from "../iteration-key.ts";

/** In iterations: how often a loop commits its position, and how many iterations keep their rows. */
export interface LoopPolicy {
  /** ≥ 1. */
  readonly commitEvery: number;
  /** ≥ 1: how often rows are removed. */
  readonly trimEvery: number;
  /** ≥ 0. */
  readonly keep: number;
}

/** Whether an action that happens every so many iterations is due after `done` iterations. */
export const isDueAfter = (done: number, every: number): boolean => done % every === 0;

/**
 * The steps of a loop whose rows are removed.
 *
 * @param stepKeys of the run's steps that have a row, or will have one
 * @param keepFrom the first iteration that stays
 */
export function decideTrim(
  stepKeys: Iterable<string>,
  loopKey: string,
  keepFrom: number,
): readonly string[] {
  const trimmed: string[] = [];
  if (keepFrom <= 0) return trimmed;
  for (const stepKey of stepKeys) {
    const iteration = iterationOf(stepKey, loopKey);
    if (iteration !== null && iteration < keepFrom) trimmed.push(stepKey);
  }
  return trimmed;
}
