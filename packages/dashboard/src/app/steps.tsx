/** The steps of a run: which are shown, and their times. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { isSettled, type StepShown } from "./shapes.ts";
import { Waterfall, type WaterfallProps } from "./waterfall.tsx";

/** With fewer, all are visible. */
const FEW_STEPS = 12;

const CHOICES = {
  all: () => true,
  "failed or retried": ({ status, attempts, lostAttempts }: StepShown) =>
    status === "errored" || attempts > 1 || lostAttempts > 0,
  open: (step: StepShown) => !isSettled(step),
} as const;
type Choice = keyof typeof CHOICES;

export function Steps({ steps, selected, onSelect }: WaterfallProps): JSX.Element {
  const choice = useSignal<Choice>("all");
  const text = useSignal("");
  const isLong = steps.length > FEW_STEPS;
  const shown = useMemo(
    () => (isLong ? pick(steps, choice.value, text.value) : steps),
    [steps, choice.value, text.value],
  );
  if (steps.length === 0) return <p class="empty">It has not begun a step.</p>;
  return (
    <>
      {isLong ? (
        <div class="tools" role="group" aria-label="Which steps">
          <div class="choice">
            {(Object.keys(CHOICES) as Choice[]).map((name) => (
              <button
                key={name}
                type="button"
                aria-pressed={choice.value === name}
                onClick={() => (choice.value = name)}
              >
                {name}
              </button>
            ))}
          </div>
          <input
            type="search"
            aria-label="Find a step"
            placeholder="Find a step"
            value={text.value}
            onInput={({ currentTarget }) => (text.value = currentTarget.value)}
          />
          <span class="quiet" role="status">
            {shown === steps ? "" : `${shown.length.toLocaleString("en")} of them`}
          </span>
        </div>
      ) : null}
      {shown.length === 0 ? (
        <p class="empty">No step is so.</p>
      ) : (
        <Waterfall steps={shown} selected={selected} onSelect={onSelect} />
      )}
    </>
  );
}

function pick(steps: readonly StepShown[], choice: Choice, text: string): readonly StepShown[] {
  const part = text.trim().toLowerCase();
  if (choice === "all" && part === "") return steps;
  return steps.filter((step) => CHOICES[choice](step) && step.stepKey.toLowerCase().includes(part));
}
