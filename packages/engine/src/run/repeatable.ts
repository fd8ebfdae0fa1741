/** `step.now`, `step.random` and `step.uuid`: the same on every replay, without a row. */
import type { RepeatableValues } from "../authoring/step.ts";
import { formatUuid, hash } from "../core/hash.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import { scopeClosed } from "./identify.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session-interface.ts";

/** The three as author code calls them at a place. @throws {WorkflowError} SCOPE_CLOSED */
export function repeatablesAt({ claimed, known }: Session, place: Place): RepeatableValues {
  const at = (name: keyof RepeatableValues): Place => {
    if (place.hasEnded) throw scopeClosed(place, name);
    return place;
  };
  return {
    now: () => new Date(known.clock.nowAt(at("now"))),
    random: () => draw(claimed, at("random")).number,
    uuid: () => draw(claimed, at("uuid")).uuid,
  };
}

/** The random values of one call at a place. */
interface Draw {
  /** In [0, 1). */
  readonly number: number;
  /** In the form of version 4. */
  readonly uuid: string;
}

/**
 * Computes the values from the run, the place and the number of draws there. The time of creation is part of it, because two
 * databases may have instances with the same id. The values are not secret: others may know what they are computed from.
 */
function draw({ run, createdAt }: ClaimedRun, place: Place): Draw {
  place.draws += 1;
  // The same for ever, as `instanceKey` has it today.
  const seed = `${run.workflowName}\u0000${run.instanceId}/${run.runNumber}/${createdAt}/${place.path}/${place.draws}`;
  const words = hash(seed);
  const [high = 0, low = 0] = words;
  return {
    number: ((high >>> 5) * 0x4000000 + (low >>> 6)) / 0x20000000000000,
    uuid: formatUuid(words),
  };
}
