/** The open steps of an instance, and what each waits for. */
import type { JSX } from "preact";
import { Link, toHref } from "./location.tsx";
import { Instant } from "./parts.tsx";
import type { Description } from "./shapes.ts";

type CurrentStep = Description["currentSteps"][number];

export function CurrentSteps({
  description,
}: {
  readonly description: Description;
}): JSX.Element | null {
  const { currentSteps, hasMoreSteps } = description;
  if (currentSteps.length === 0) return null;
  return (
    <section aria-labelledby="current">
      <h2 id="current">Where it stands</h2>
      <ul class="plain">
        {currentSteps.map((step) => (
          <li key={step.stepKey}>
            <code>{step.stepKey}</code> <Waits step={step} />
            {step.attempts > 1 ? <span class="quiet"> · attempt {step.attempts}</span> : null}
            {step.runner === null ? null : <span class="quiet"> · last run by {step.runner}</span>}
            {step.error === null ? null : (
              <span class="message">
                <code>{step.error.name}</code> {step.error.message}
              </span>
            )}
          </li>
        ))}
      </ul>
      {hasMoreSteps ? <p class="note">There are more.</p> : null}
    </section>
  );
}

function Waits({ step }: { readonly step: CurrentStep }): JSX.Element {
  const { waitsFor } = step;
  if (waitsFor === null) return <>runs</>;
  return (
    <>
      waits for <What of={waitsFor} />
      {waitsFor.until === null ? null : (
        <>
          , {waitsFor.kind === "time" || waitsFor.kind === "nextAttempt" ? "due" : "until"}{" "}
          <Instant at={waitsFor.until} />
        </>
      )}
    </>
  );
}

function What({ of }: { readonly of: NonNullable<CurrentStep["waitsFor"]> }): JSX.Element {
  if (of.kind === "event") return <>an event {of.types.join(" or ")}</>;
  if (of.kind === "topic")
    return (
      <>
        the topic <Link to={toHref("/topics", { topic: of.topic })}>{of.topic}</Link>
      </>
    );
  if (of.kind === "child")
    return (
      <>
        the child <Link to={toHref("/instances", { prefix: of.id })}>{of.id}</Link>
      </>
    );
  const words = { time: "time to pass", nextAttempt: "its next attempt", callback: "a callback" };
  return <>{words[of.kind]}</>;
}
