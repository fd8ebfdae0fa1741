/** Everything that is known of one step. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { toDuration, toTook } from "./format.ts";
import { Link, toHref } from "./location.tsx";
import { Copy, ErrorBox, Fact, Instant, Reveal, Status } from "./parts.tsx";
import { isAllowed } from "./settings.ts";
import { begunAfterQueue, isSettled, spanOf, type StepShown, tookMs } from "./shapes.ts";

interface StepDetailsProps {
  readonly step: StepShown;
  readonly reveal: () => Promise<unknown>;
  /** null: the step is of an earlier run. */
  readonly commands: StepCommands | null;
  readonly onClose: () => void;
}

/** Commands that go back to a step of the present run. */
export interface StepCommands {
  readonly onRewind: () => void;
  /** null: the run has not failed. */
  readonly onRetry: (() => void) | null;
  readonly onFork: () => void;
}

export function StepDetails({ step, reveal, commands, onClose }: StepDetailsProps): JSX.Element {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <section ref={box} class="card step-details" aria-label={`Step ${step.name}`}>
      <header>
        <h3>{step.name}</h3>
        <Status of={step.status} />
        <Copy what="link" text={() => location.href} />
        <button type="button" onClick={onClose}>
          Close
        </button>
      </header>
      <StepFacts step={step} />
      {step.error === null ? null : <ErrorBox error={step.error} />}
      <FailedAttempts step={step} />
      <div class="buttons">
        {isAllowed("payloads") && step.status === "completed" ? (
          <Reveal key={step.stepKey} what="result" load={reveal} />
        ) : null}
        {commands === null ? null : <StepButtons {...commands} />}
      </div>
    </section>
  );
}

function StepButtons({ onRewind, onRetry, onFork }: StepCommands): JSX.Element {
  return (
    <>
      {isAllowed("steer") ? (
        <button type="button" onClick={onRewind}>
          Rewind to this step…
        </button>
      ) : null}
      {isAllowed("steer") && onRetry !== null ? (
        <button type="button" onClick={onRetry}>
          Retry from this step…
        </button>
      ) : null}
      {isAllowed("start") ? (
        <button type="button" onClick={onFork}>
          Fork before this step…
        </button>
      ) : null}
    </>
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
        <Instant at={spanOf(step).from} />
      </Fact>
      {isSettled(step) && tookMs(step) !== null ? (
        <Fact name="Took">{toTook(tookMs(step))}</Fact>
      ) : null}
      <QueueTime step={step} />
      {step.runner ? (
        <Fact name="Ran in">
          <code>{step.runner}</code>
        </Fact>
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

/** The type of a step that waits for a child contains the child's name. */
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

/** The time between the step's creation and the first start of its body. */
function QueueTime({ step }: { readonly step: StepShown }): JSX.Element | null {
  const begunAt = begunAfterQueue(step);
  if (begunAt === null) return null;
  return <Fact name="Queue time">{toDuration(begunAt - step.createdAt)}</Fact>;
}

function FailedAttempts({ step }: { readonly step: StepShown }): JSX.Element | null {
  const { failedAttempts } = step;
  // If there is only one, everything is shown above.
  const isSaid = failedAttempts.length === 1 && step.error !== null && isSettled(step);
  if (failedAttempts.length === 0 || isSaid) return null;
  return (
    <ol class="failed-attempts" aria-label="Attempts that failed">
      {failedAttempts.map(({ attempt, startedAt, endedAt, runner, error }) => (
        <li key={`${attempt} ${startedAt}`}>
          <strong>Attempt {attempt}</strong>{" "}
          {error === null ? "was lost" : `${error.name}: ${error.message}`}{" "}
          <span class="quiet">
            {startedAt === null ? null : <Instant at={startedAt} />}
            {startedAt === null || endedAt === null ? "" : `, ${toDuration(endedAt - startedAt)}`}
            {runner === null ? "" : `, in ${runner}`}
          </span>
        </li>
      ))}
    </ol>
  );
}
