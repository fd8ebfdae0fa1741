/** All that is known of one step. */
import type { JSX } from "preact";
import { toDuration } from "./format.ts";
import { Link, toHref } from "./location.tsx";
import { ErrorBox, Fact, Instant, Reveal, Status } from "./parts.tsx";
import { isAllowed } from "./settings.ts";
import { isSettled, type StepShown } from "./shapes.ts";

interface StepDetailsProps {
  readonly step: StepShown;
  readonly reveal: () => Promise<unknown>;
  readonly onRewind: () => void;
  readonly onClose: () => void;
}

export function StepDetails({ step, reveal, onRewind, onClose }: StepDetailsProps): JSX.Element {
  return (
    <section class="card step-details" aria-label={`Step ${step.name}`}>
      <header>
        <h3>{step.name}</h3>
        <Status of={step.status} />
        <button type="button" onClick={onClose}>
          Close
        </button>
      </header>
      <StepFacts step={step} />
      {step.error === null ? null : <ErrorBox error={step.error} />}
      <div class="buttons">
        {isAllowed("payloads") && step.status === "completed" ? (
          <Reveal key={step.stepKey} what="result" load={reveal} />
        ) : null}
        {isAllowed("steer") ? (
          <button type="button" onClick={onRewind}>
            Rewind to this step…
          </button>
        ) : null}
      </div>
    </section>
  );
}

function StepFacts({ step }: { readonly step: StepShown }): JSX.Element {
  const limit = step.maxAttempts > 1_000_000 ? "" : ` of ${step.maxAttempts}`;
  return (
    <dl class="facts">
      <Fact name="Key">
        <code>{step.stepKey}</code>
      </Fact>
      <Fact name="Type">{step.type}</Fact>
      <Fact name="Attempts">
        {step.attempts}
        {limit}
        {step.lostAttempts > 0 ? `, ${step.lostAttempts} lost` : ""}
      </Fact>
      <Fact name="Began">
        <Instant at={step.createdAt} />
      </Fact>
      {isSettled(step) ? (
        <Fact name="Took">{toDuration(step.updatedAt - step.createdAt)}</Fact>
      ) : null}
      {step.nextRetryAt === null ? null : (
        <Fact name="Next attempt">
          <Instant at={step.nextRetryAt} />
        </Fact>
      )}
      {step.wakeAt === null || isSettled(step) ? null : (
        <Fact name="Wakes">
          <Instant at={step.wakeAt} />
        </Fact>
      )}
      {step.timeoutMs === null ? null : <Fact name="Time limit">{toDuration(step.timeoutMs)}</Fact>}
      <WaitsFor step={step} />
    </dl>
  );
}

/** The type of a step that waits for a child names the child. */
function WaitsFor({ step }: { readonly step: StepShown }): JSX.Element | null {
  if (step.waitEventType === null) return null;
  const childId = /^child (\S+) /.exec(step.waitEventType)?.[1];
  if (childId === undefined)
    return (
      <Fact name="Waits for">
        <code>{step.waitEventType}</code>
      </Fact>
    );
  return (
    <Fact name="Child">
      <Link to={toHref("/instances", { prefix: childId })}>{childId}</Link>
    </Fact>
  );
}
