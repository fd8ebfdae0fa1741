/** The state of an instance, and what to do about it. */
import type { JSX } from "preact";
import type { HistoryShown } from "./history.ts";
import type { Shown } from "./instance-look.ts";
import { Link, toHref } from "./location.tsx";
import { ErrorBox } from "./parts.tsx";
import { isAllowed } from "./settings.ts";
import type { ErrorShown, StepShown } from "./shapes.ts";

interface StandingProps {
  readonly shown: Shown;
  readonly workflowName: string;
  readonly onSelect: (stepKey: string) => void;
}

export function Standing(props: StandingProps): JSX.Element | null {
  const { view, explanation } = props.shown;
  const { error, status } = view.details;
  // For a failed instance, the sentence would only repeat the error.
  if (status === "errored" && error !== undefined) return <Failed {...props} error={error} />;
  return (
    <>
      {error === undefined ? null : <ErrorBox error={error} />}
      {explanation === null ? null : <p class="note">{explanation.sentence}</p>}
    </>
  );
}

function Failed({
  shown: { history },
  workflowName,
  error,
  onSelect,
}: StandingProps & { readonly error: ErrorShown }): JSX.Element {
  const step = findFailed(history);
  const code = error.code ?? undefined;
  return (
    <>
      <ErrorBox error={error} />
      <div class="next">
        <p>
          {isAllowed("steer")
            ? "Fix the cause, then retry it to continue with the step that failed, or restart it."
            : "Once the cause is fixed, a retry continues with the step that failed."}
        </p>
        <div class="buttons">
          {step === undefined ? null : (
            <button type="button" onClick={() => onSelect(step.stepKey)}>
              Show the step that failed: <strong>{step.name}</strong>
            </button>
          )}
          <Link
            to={toHref("/instances", { workflow: workflowName, status: "errored", code })}
            class="button"
          >
            Others that failed so
          </Link>
        </div>
      </div>
    </>
  );
}

/** The step that failed last, without the scopes around it. */
function findFailed({ steps }: HistoryShown): StepShown | undefined {
  const failed = steps.filter(({ status }) => status === "errored");
  return failed.findLast(
    ({ stepKey }) => !failed.some((other) => other.stepKey.startsWith(`${stepKey}/`)),
  );
}
