/** What the effects of many processes show, and what they must not show. */
import type { Effect } from "./effect-log.ts";

/** Names the step of an effect. */
export const keyOf = ({ instanceId, stepKey }: Effect): string =>
  `${instanceId} ${String(stepKey)}`;

/** Items by key, in order. */
export function groupBy<T>(
  items: readonly T[],
  toKey: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(toKey(item), [...(groups.get(toKey(item)) ?? []), item]);
  return groups;
}

/** What began of each step, by `keyOf`. */
export const startsByStep = (effects: readonly Effect[]): ReadonlyMap<string, readonly Effect[]> =>
  groupBy(
    effects.filter((effect) => effect.kind === "start"),
    keyOf,
  );

/** Instances in which a body began while another process was inside a body of the same instance. */
export function findOverlaps(effects: readonly Effect[]): readonly string[] {
  const inside = new Map<string, Effect>();
  const overlaps: string[] = [];
  for (const effect of effects) {
    if (effect.kind === "start") {
      const other = inside.get(effect.instanceId);
      if (other !== undefined) overlaps.push(`${keyOf(other)} and ${keyOf(effect)}`);
      inside.set(effect.instanceId, effect);
    }
    if (effect.kind === "end") inside.delete(effect.instanceId);
  }
  return overlaps;
}

/** Bodies that began after a runner had been told that their step's result is kept. */
export function findRepeats(effects: readonly Effect[]): readonly string[] {
  const committed = new Set<string>();
  const repeats: string[] = [];
  for (const effect of effects) {
    if (effect.kind === "committed") committed.add(keyOf(effect));
    if (effect.kind === "start" && committed.has(keyOf(effect))) repeats.push(keyOf(effect));
  }
  return repeats;
}
