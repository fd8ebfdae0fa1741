/** Facts about an instance besides its steps. */
import type { JSX } from "preact";
import { toDuration } from "./format.ts";
import type { HistoryShown } from "./history.ts";
import { Link, toInstance, toHref } from "./location.tsx";
import { Fact, Instant } from "./parts.tsx";
import type { Description, View } from "./shapes.ts";

interface FactsProps {
  readonly details: View["details"];
  readonly history: HistoryShown;
  /** null: it is not known, or an earlier run is shown. */
  readonly description: Description | null;
}

export function InstanceFacts({ details: all, history, description }: FactsProps): JSX.Element {
  const { runNumber, parent, forkedFrom, tags = [] } = all;
  const isPresent = runNumber === history.runNumber;
  // Everything else is of the present run.
  const details: Partial<View["details"]> = isPresent ? all : {};
  const begunAt = history.steps[0]?.createdAt;
  const changedAt = history.steps.reduce((last, { updatedAt }) => Math.max(last, updatedAt), 0);
  return (
    <dl class="facts card">
      <Fact name="Run">
        {history.runNumber}
        {isPresent ? "" : ` of ${runNumber}`}
        {details.retryCount === undefined ? "" : `, begun again ${details.retryCount} times`}
      </Fact>
      {description === null ? <At name="First step" at={begunAt} /> : null}
      {description === null ? null : (
        <Times description={description} isFirstRun={runNumber === 1} />
      )}
      {begunAt === undefined ? null : (
        <Fact name="Steps took">{toDuration(changedAt - begunAt)}</Fact>
      )}
      <At name="Starts" at={details.startsAt} />
      <At name="Deadline" at={details.deadlineAt} />
      {details.endRequested === undefined ? null : (
        <Fact name="End requested by">{details.endRequested}</Fact>
      )}
      {parent === undefined ? null : (
        <Fact name="Parent">
          <Link to={toInstance(parent.workflowName, parent.instanceId)}>{parent.instanceId}</Link>
        </Fact>
      )}
      {forkedFrom === undefined ? null : (
        <Fact name="Forked from">
          <Link to={toHref("/instances", { prefix: forkedFrom.instanceId })}>
            {forkedFrom.instanceId}
          </Link>
        </Fact>
      )}
      {tags.length === 0 ? null : (
        <Fact name="Tags">
          {tags.map((tag) => (
            <Link key={tag} to={toHref("/instances", { tag })} class="tag">
              {tag}
            </Link>
          ))}
        </Fact>
      )}
      {details.diverged === undefined ? null : (
        <Fact name="Code differs at">
          {details.diverged.map(({ stepKey }) => (
            <code key={stepKey}>{stepKey} </code>
          ))}
        </Fact>
      )}
    </dl>
  );
}

interface TimesProps {
  readonly description: Description;
  /** A later run began long after the instance was created. */
  readonly isFirstRun: boolean;
}

function Times({ description, isFirstRun }: TimesProps): JSX.Element {
  const { createdAt, startedAt, completedAt, nextWakeAt, heldUntil, now } = description;
  const hasBegun = isFirstRun && startedAt !== null && startedAt <= now;
  return (
    <>
      <At name="Created" at={createdAt} />
      {hasBegun ? (
        <Fact name="Queue time">{toDuration(Math.max(0, startedAt - createdAt))}</Fact>
      ) : null}
      <At name="Run began" at={startedAt} />
      <At name="Run ended" at={completedAt} />
      <At name="Due" at={nextWakeAt} />
      <At name="Held by a process until" at={heldUntil} />
    </>
  );
}

function At({
  name,
  at,
}: {
  readonly name: string;
  readonly at: number | null | undefined;
}): JSX.Element | null {
  if (at === undefined || at === null) return null;
  return (
    <Fact name={name}>
      <Instant at={at} />
    </Fact>
  );
}
