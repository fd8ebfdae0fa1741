/**
 * Crons and messages reach previews and branches too: with one database their code would run
 * production's workflows. So only some places tick.
 */
import { WorkflowError } from "../core/errors.ts";

/** Says where code of this deployment may tick. */
export interface TickPermit {
  /** The place that this code runs in and must not tick in; null: it may. */
  readonly refusedPlace: string | null;
  /** @throws {WorkflowError} TICK_DISABLED, whose details name the place */
  assertMayTick(): void;
}

/**
 * Creates the permit of one place, such as a preview deployment.
 *
 * @param kind what the platform calls such a place, for instance "environment"
 * @param place undefined or empty: the platform has not said, which may tick
 */
export function createTickPermit(
  kind: string,
  place: string | undefined,
  allowed: readonly string[],
): TickPermit {
  const refusedPlace =
    place === undefined || place === "" || allowed.includes(place) ? null : place;
  return {
    refusedPlace,
    assertMayTick: () => {
      if (refusedPlace === null) return;
      const message = `The ${kind} "${refusedPlace}" does not tick, by the adapter's options.`;
      throw new WorkflowError("TICK_DISABLED", message, { [kind]: refusedPlace });
    },
  };
}
