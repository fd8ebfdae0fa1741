/** Bulk jobs: their progress, and what was refused. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { get, post } from "./api.ts";
import { toActTitle, toCount } from "./bulk-dialog.tsx";
import { Act, Dialog } from "./dialogs.tsx";
import { toInstant } from "./format.ts";
import { InstanceLink, Link, place, toHref } from "./location.tsx";
import { Fact, Failure, Instant, Status } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import { isAllowed } from "./settings.ts";
import { type BulkFilter, type BulkList, type BulkView, isEnded } from "./shapes.ts";
import { Table } from "./table.tsx";

const toJob = (id: string): string => `/jobs/${encodeURIComponent(id)}`;

export function Jobs(): JSX.Element {
  const cursor = place.value.query.get("cursor") ?? undefined;
  const found = usePoll(`jobs ${cursor ?? ""}`, (signal) =>
    get<BulkList>("/bulk", { cursor, pageSize: 50 }, signal),
  );
  const now = found.data.value;
  return (
    <>
      <h1>Jobs</h1>
      <p class="lead">One act, done to every instance that matched when the job began.</p>
      <Failure error={found.error.value} />
      {now === null ? null : now.bulks.length === 0 ? (
        <p class="empty">
          None yet. A job does one thing to all instances that match:{" "}
          <Link to="/instances">find them</Link>, and begin there.
        </p>
      ) : (
        <JobTable bulks={now.bulks} />
      )}
      <nav class="pages" aria-label="Pages of the list">
        {cursor === undefined ? null : <Link to="/jobs">First page</Link>}
        {now?.hasNextPage === true && now.cursor !== undefined ? (
          <Link to={toHref("/jobs", { cursor: now.cursor })}>Next page</Link>
        ) : null}
      </nav>
    </>
  );
}

function JobTable({ bulks }: Pick<BulkList, "bulks">): JSX.Element {
  return (
    <Table
      class="instances"
      label="List of jobs"
      columns={["Status", "Job", "Began", "Progress", ["All with", "wide"]]}
    >
      {bulks.map((job) => (
        <tr key={job.id}>
          <td>
            <Status of={job.status} />
          </td>
          <td>
            <Link to={toJob(job.id)}>{toActTitle(job.act)}</Link>
          </td>
          <td data-label="began">
            <Instant at={job.startedAt} />
          </td>
          <td>
            <Progress progress={job.progress} />
          </td>
          <td class="about" data-label="all with">
            {toFilterText(job.filter)}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Progress({ progress }: Pick<BulkView, "progress">): JSX.Element {
  const { total, isCapped, done, refused } = progress;
  const met = done + refused;
  return (
    <span class="job-progress">
      {total === null || isCapped ? null : (
        <progress value={met} max={Math.max(total, met, 1)} aria-label="Instances met" />
      )}{" "}
      {total === null && met === 0 ? "none met yet" : met.toLocaleString("en")}
      {total === null ? "" : ` of ${toCount(total, isCapped)}`}
    </span>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  workflows: "workflow",
  idPrefix: "id beginning with",
  errorCode: "error code",
  createdFrom: "created from",
  createdBefore: "created before",
  updatedFrom: "changed from",
  updatedBefore: "changed before",
};

/** `workflow order, status errored`. */
function toFilterText(filter: BulkFilter): string {
  const parts = Object.entries(filter).map(([name, value]: [string, unknown]) => {
    const said =
      typeof value === "number"
        ? toInstant(value)
        : Array.isArray(value)
          ? value.join(" or ")
          : typeof value === "string"
            ? value
            : JSON.stringify(value);
    return `${NAMES[name] ?? name} ${said}`;
  });
  return parts.join(", ");
}

export function Job({ id }: { readonly id: string }): JSX.Element {
  const path = `/bulk/${encodeURIComponent(id)}`;
  const found = usePoll(path, (signal) => get<BulkView>(path, {}, signal), { pace: "live" });
  const isAsking = useSignal(false);
  const now = found.data.value;
  return (
    <>
      <p class="crumbs">
        <Link to="/jobs">Jobs</Link>
      </p>
      <div class="title">
        <h1>{now === null ? "Job" : `${toActTitle(now.act)} all that match`}</h1>
        {now === null ? null : <Status of={now.status} />}
      </div>
      <Failure error={found.error.value} />
      {now === null ? null : <JobFacts job={now} />}
      {now !== null && isAllowed("steer") && !isEnded(now.status) ? (
        <div class="buttons">
          <button type="button" class="danger" onClick={() => (isAsking.value = true)}>
            Cancel the job…
          </button>
        </div>
      ) : null}
      {isAsking.value ? (
        <Dialog title="Cancel the job?" onClose={() => (isAsking.value = false)}>
          <p>It ends after the instances that it is working on. What it has done stays done.</p>
          <Act
            label="Cancel the job"
            isDangerous={true}
            act={() => post(`${path}/cancel`)}
            onClose={() => (isAsking.value = false)}
            onDone={() => {
              isAsking.value = false;
              found.refresh();
            }}
          />
        </Dialog>
      ) : null}
    </>
  );
}

function JobFacts({ job }: { readonly job: BulkView }): JSX.Element {
  const { progress, error } = job;
  return (
    <>
      <dl class="facts card">
        <Fact name="All with">{toFilterText(job.filter)}</Fact>
        <Fact name="Began">
          <Instant at={job.startedAt} />
        </Fact>
        <Fact name="Last change">
          <Instant at={job.updatedAt} />
        </Fact>
        <Fact name="Met">
          <Progress progress={progress} />
        </Fact>
        <Fact name="Done">{progress.done.toLocaleString("en")}</Fact>
        <Fact name="Refused">{progress.refused.toLocaleString("en")}</Fact>
      </dl>
      {error === undefined ? null : (
        <p class="failure" role="alert">
          <strong>{error.name}</strong>: {error.message}
        </p>
      )}
      {progress.refused === 0 ? null : <Refusals progress={progress} />}
    </>
  );
}

function Refusals({ progress }: Pick<BulkView, "progress">): JSX.Element {
  const { refusals, refused, refusedByCode } = progress;
  return (
    <section aria-labelledby="refusals">
      <h2 id="refusals">Refused</h2>
      <p>
        {Object.entries(refusedByCode).map(([code, count]) => (
          <span key={code} class="tag">
            <code>{code}</code> {count.toLocaleString("en")}
          </span>
        ))}
      </p>
      <ul class="plain">
        {refusals.map(({ workflowName, id, code }) => (
          <li key={`${workflowName} ${id}`}>
            <InstanceLink workflowName={workflowName} id={id} /> <code>{code}</code>
          </li>
        ))}
      </ul>
      {refused > refusals.length ? <p class="note">The first {refusals.length}.</p> : null}
    </section>
  );
}
