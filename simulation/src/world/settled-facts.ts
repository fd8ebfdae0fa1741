/** Steps that have settled, as the books and as histories have them. */
import type { SettledStep } from "./engine-types.ts";
import type { SettledFact } from "./facts.ts";

/** What a history lacks of what was settled, has in another way, or has though no commit wrote it. */
export function* compareSettled(
  known: ReadonlyMap<string, SettledFact>,
  steps: readonly SettledStep[],
): Generator<string> {
  const read = new Map(steps.map((step) => [step.stepKey, step]));
  for (const [key, fact] of known) {
    const step = read.get(key);
    if (step === undefined) yield `${key} was settled and is open again`;
    else if (!isSame(fact, step)) yield `${key} was ${show(fact)} and is ${show(factOf(step))}`;
  }
  for (const [key, step] of read) {
    if (!known.has(key)) yield `${key} is ${show(factOf(step))}, which no commit wrote`;
  }
}

const factOf = (step: SettledStep): SettledFact => ({
  status: step.status,
  result: step.result,
  order: step.settledOrder,
});

const isSame = (fact: SettledFact, step: SettledStep): boolean =>
  fact.status === step.status && fact.result === step.result && fact.order === step.settledOrder;

export const show = ({ status, result, order }: SettledFact): string =>
  `${status} (${order}, ${result})`;
