/** What is known of an instance beside its steps. */
import type { JSX } from "preact";
import { toDuration } from "./format.ts";
import type { HistoryShown } from "./history.ts";
import { Link, toInstance, toHref } from "./location.tsx";
import { Fact, Instant } from "./parts.tsx";
import type { Description, View } from "./shapes.ts";

interface FactsProps {
  readonly details: View["details"];
  readonly history: HistoryShown;
  readonly description: Description | null;
}

export function InstanceFacts({ details, history, description }: FactsProps): JSX.Element {
  const { parent, forkedFrom, tags = [] } = details;
  const begunAt = history.steps[0]?.createdAt;
  const changedAt = history.steps.reduce((last, { updatedAt }) => Math.max(last, updatedAt), 0);
  return (
    <dl class="facts card">
      <Fact name="Run">
        {details.runNumber}
        {details.retryCount === undefined ? "" : `, begun again ${details.retryCount} times`}
      </Fact>
      {begunAt === undefined ? null : (
        <>
          <Fact name="First step">
            <Instant at={begunAt} />
          </Fact>
          <Fact name="Steps took">{toDuration(changedAt - begunAt)}</Fact>
        </>
      )}
      {description === null ? null : <Times description={description} />}
      <At name="Starts" at={details.startsAt} />
      <At name="Deadline" at={details.deadlineAt} />
      {details.endRequested === undefined ? null : (
        <Fact name="Asked to end by">{details.endRequested}</Fact>
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

function Times({ description }: { readonly description: Description }): JSX.Element {
  const { createdAt, startedAt, completedAt, nextWakeAt, heldUntil } = description;
  return (
    <>
      <At name="Created" at={createdAt} />
      <At name="Run began" at={startedAt} />
      <At name="Run ended" at={completedAt} />
      <At name="Due" at={nextWakeAt} />
      <At name="A process has it until" at={heldUntil} />
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
