/** Which processes hold which runs, and what is due. */
import type { JSX } from "preact";
import { DueTable } from "./due-table.tsx";
import { get } from "./api.ts";
import { STUCK } from "./instance-filters.ts";
import { InstanceLink, Link, toHref } from "./location.tsx";
import { Failure, Instant } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import type { Activity, Leases } from "./shapes.ts";
import { Table } from "./table.tsx";

/** The most leases that are shown. */
const MOST_LEASES = 200;

/** Due runs are part of the activity, for which one bucket is enough. */
const ONE_BUCKET = { bucketMs: 60_000, buckets: 1 };

export function Runners(): JSX.Element {
  const found = usePoll("leases", (signal) =>
    get<Leases>("/leases", { limit: MOST_LEASES }, signal),
  );
  const due = usePoll("due", (signal) => get<Activity>("/activity", ONE_BUCKET, signal), {
    isSame: (left, right) => JSON.stringify(left.due) === JSON.stringify(right.due),
  });
  const now = found.data.value;
  return (
    <>
      <h1>Runners</h1>
      <p class="lead">
        Processes that hold runs now. A lease that is over is taken by another one.
      </p>
      <Failure error={found.error.value ?? due.error.value} />
      {now === null ? (
        <p class="quiet">{found.error.value === null ? "Looking…" : ""}</p>
      ) : now.leases.length === 0 ? (
        <p class="empty">
          No process holds a run. A process is seen here for as long as it holds one, and a tick
          holds one for as long as it runs it.
        </p>
      ) : (
        <>
          <RunnerTable runners={now.runners} />
          <LeaseTable leases={now} />
        </>
      )}
      {due.data.value === null ? null : (
        <section aria-labelledby="due">
          <div class="section-title">
            <h2 id="due">Waiting for a runner</h2>
            <Link to={toHref("/instances", { status: STUCK })}>Stuck for five minutes</Link>
          </div>
          {due.data.value.due.length === 0 ? (
            <p class="empty">Nothing is due.</p>
          ) : (
            <DueTable due={due.data.value.due} />
          )}
        </section>
      )}
    </>
  );
}

/** A process of an earlier version has no name. */
function Name({ of }: { readonly of: string | null }): JSX.Element {
  return of === null ? <span class="quiet">not known</span> : <span class="id">{of}</span>;
}

function RunnerTable({ runners }: Pick<Leases, "runners">): JSX.Element {
  return (
    <Table
      label="Processes"
      columns={[
        "Process",
        ["Runs held", "number"],
        ["Overdue", "number"],
        "Next end",
        ["Last end", "roomy"],
      ]}
    >
      {runners.map(({ runner, leaseCount, overdueCount, firstUntil, lastUntil }) => (
        <tr key={runner ?? ""}>
          <th scope="row">
            <Name of={runner} />
          </th>
          <td class="number">{leaseCount}</td>
          <td class="number">
            {overdueCount === 0 ? (
              <span class="quiet">0</span>
            ) : (
              <strong class="bad">{overdueCount}</strong>
            )}
          </td>
          <td>
            <Instant at={firstUntil} />
          </td>
          <td class="roomy">
            <Instant at={lastUntil} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function LeaseTable({ leases: { leases, isCapped } }: { readonly leases: Leases }): JSX.Element {
  return (
    <section aria-labelledby="leases">
      <h2 id="leases">
        Leases <span class="quiet">soonest end first</span>
      </h2>
      <Table
        class="instances"
        label="Leases"
        columns={["Instance", "Workflow", "Process", "Until", "About"]}
      >
        {leases.map((lease) => (
          <LeaseRow key={`${lease.workflowName} ${lease.id} ${lease.runNumber}`} of={lease} />
        ))}
      </Table>
      {isCapped ? <p class="note">There are more, which end later.</p> : null}
    </section>
  );
}

function LeaseRow({ of: lease }: { readonly of: Leases["leases"][number] }): JSX.Element {
  const { workflowName, id, runner, until, isOverdue, lostCount } = lease;
  return (
    <tr>
      <td>
        <InstanceLink workflowName={workflowName} id={id} />
      </td>
      <td>{workflowName}</td>
      <td data-label="held by">
        <Name of={runner} />
      </td>
      <td data-label={isOverdue ? "over since" : "ends"}>
        <Instant at={until} />
      </td>
      <td>
        {isOverdue ? <span class="pill is-errored">overdue</span> : null}
        {lostCount === 0 ? null : (
          <span class="quiet">
            {" "}
            {lostCount} lost {lostCount === 1 ? "lease" : "leases"} before
          </span>
        )}
      </td>
    </tr>
  );
}
