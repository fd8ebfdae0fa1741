/** What happens to single requests on their way to the database, by chance. */
import type { Deliver, Delivery } from "@escapement-internal/test-servers";
import { createRandom } from "../random.ts";

/** Deliveries and how many there were of each kind. */
export interface CountedDeliveries {
  readonly deliver: Deliver;
  readonly counts: ReadonlyMap<Delivery["kind"], number>;
}

/** Of a thousand requests. */
const RATES: readonly (readonly [kind: Delivery["kind"], perMille: number])[] = [
  ["delay", 20],
  ["drop", 5],
  ["lose-answer", 8],
  ["late", 8],
  ["twice", 4],
  ["half-open", 1],
];

/** @param maxMs how late at most */
export function createDeliveries(seed: string, maxMs: number): CountedDeliveries {
  const random = createRandom(`deliveries ${seed}`);
  const counts = new Map<Delivery["kind"], number>();
  const choose = (): Delivery["kind"] => {
    let place = random.next() * 1000;
    for (const [kind, perMille] of RATES) {
      place -= perMille;
      if (place < 0) return kind;
    }
    return "pass";
  };
  return {
    counts,
    deliver: () => {
      const kind = choose();
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (kind === "delay") return { kind, ms: random.between(1, 300) };
      if (kind === "late" || kind === "twice") return { kind, ms: random.between(1, maxMs) };
      return { kind };
    },
  };
}
