/** Instances by status, the latest failures, and activity over time. */
import type { JSX } from "preact";
import { ActivitySection } from "./activity.tsx";
import { type ApiError, get } from "./api.ts";
import { CountTable, Tiles } from "./counts.tsx";
import { FailureTable } from "./failure-table.tsx";
import { Link, toHref } from "./location.tsx";
import { Failure, Loading } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import type { Counts, Found } from "./shapes.ts";

const MOST_FAILURES = 100;

export function Overview(): JSX.Element {
  const counts = usePoll("counts", (signal) => get<Counts>("/instances/counts", {}, signal));
  const failed = usePoll("failed", (signal) =>
    get<Found>("/instances", { status: "errored", pageSize: MOST_FAILURES }, signal),
  );
  const error = counts.error.value ?? failed.error.value;
  const rows = counts.data.value?.counts;
  const isUntold = rows === undefined && failed.data.value === null && error !== null;
  return (
    <>
      <h1>Overview</h1>
      <Failure error={error} />
      {isUntold ? null : <Told rows={rows} found={failed.data.value} error={error} />}
    </>
  );
}

interface ToldProps extends FailuresProps {
  readonly rows: Counts["counts"] | undefined;
}

function Told({ rows, found, error }: ToldProps): JSX.Element {
  return (
    <>
      {rows === undefined ? <Loading error={error} /> : <Tiles counts={rows} />}
      <Failures found={found} error={error} />
      <ActivitySection />
      <h2>Workflows</h2>
      {rows === undefined ? (
        <Loading error={error} />
      ) : rows.length === 0 ? (
        <p class="empty">No workflow is registered.</p>
      ) : (
        <CountTable counts={rows} />
      )}
    </>
  );
}

interface FailuresProps {
  readonly found: Found | null;
  readonly error: ApiError | null;
}

/** Failures come first, because they need attention. */
function Failures({ found, error }: FailuresProps): JSX.Element {
  const isNone = found !== null && found.instances.length === 0;
  return (
    <section aria-labelledby="failures">
      <div class="section-title">
        <h2 id="failures">
          Failures <span class="quiet">by what went wrong</span>
        </h2>
        {found === null || isNone ? null : (
          <Link to={toHref("/instances", { status: "errored" })}>All that failed</Link>
        )}
      </div>
      {found === null ? (
        <Loading error={error} />
      ) : isNone ? (
        <p class="hour">
          {found.isIncomplete ? "None among the newest." : "No instance has failed."}
        </p>
      ) : (
        <FailureTable found={found} />
      )}
    </section>
  );
}
