/**
 * Crons and messages also reach previews and branches. If these share production's database, their code would run production's
 * workflows, so ticks are refused there.
 */
import { WorkflowError } from "../core/errors.ts";

/** Whether the code of this deployment may tick. */
export interface TickPermit {
  /** The place that this code runs in and must not tick in; null: it may tick. */
  readonly refusedPlace: string | null;
  /** @throws {WorkflowError} TICK_DISABLED, whose details name the place */
  assertMayTick(): void;
}

/**
 * Creates the permit for a place, such as a preview deployment.
 *
 * @param kind the platform's word for such a place, for instance "environment"
 * @param place undefined or empty: the platform does not say; ticks are allowed
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
      const message = `The ${kind} "${refusedPlace}" may not tick: the adapter's options exclude it.`;
      throw new WorkflowError("TICK_DISABLED", message, { [kind]: refusedPlace });
    },
  };
}
