/** How many instances have which status, how they fared over time, and what failed last. */
import type { JSX } from "preact";
import { ActivitySection } from "./activity.tsx";
import { get } from "./api.ts";
import { CountTable, Tiles } from "./counts.tsx";
import { InstanceTable } from "./instance-table.tsx";
import { FailureTable } from "./failure-table.tsx";
import { Failure, Loading } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import type { Counts, Found } from "./shapes.ts";

const MOST_FAILURES = 100;
const SHOWN_FAILURES = 5;

export function Overview(): JSX.Element {
  const counts = usePoll("counts", (signal) => get<Counts>("/instances/counts", {}, signal));
  const failed = usePoll("failed", (signal) =>
    get<Found>("/instances", { status: "errored", pageSize: MOST_FAILURES }, signal),
  );
  const error = counts.error.value ?? failed.error.value;
  const rows = counts.data.value?.counts;
  return (
    <>
      <h1>Overview</h1>
      <Failure error={error} />
      {rows === undefined ? <Loading error={error} /> : <Tiles counts={rows} />}
      <ActivitySection />
      <section aria-labelledby="failures">
        <h2 id="failures">
          Latest failures <span class="quiet">by what went wrong</span>
        </h2>
        {failed.data.value === null ? (
          <Loading error={error} />
        ) : failed.data.value.instances.length === 0 ? (
          <p class="empty">
            {failed.data.value.isIncomplete ? "None among the newest." : "No instance has failed."}
          </p>
        ) : (
          <>
            <FailureTable instances={failed.data.value.instances} />
            <h3 class="below">The newest</h3>
            <InstanceTable instances={failed.data.value.instances.slice(0, SHOWN_FAILURES)} />
          </>
        )}
      </section>
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
