/** From a failed instance to the step that failed. */
import type { JSX } from "preact";
import type { HistoryShown } from "./history.ts";

interface FailedStepProps {
  readonly history: HistoryShown;
  readonly onSelect: (stepKey: string) => void;
}

/** Leads to the step that failed last, and to no scope around it. */
export function FailedStep({ history: { steps }, onSelect }: FailedStepProps): JSX.Element | null {
  const failed = steps.filter(({ status }) => status === "errored");
  const step = failed.findLast(
    ({ stepKey }) => !failed.some((other) => other.stepKey.startsWith(`${stepKey}/`)),
  );
  return step === undefined ? null : (
    <p class="failed-step">
      <button type="button" onClick={() => onSelect(step.stepKey)}>
        Show the step that failed: <strong>{step.name}</strong>
      </button>
    </p>
  );
}
