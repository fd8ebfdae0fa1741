/** How many instances have which status, what ended in the last hour, and what failed last. */
import type { JSX } from "preact";
import { get } from "./api.ts";
import { CountTable, Tiles } from "./counts.tsx";
import { InstanceTable } from "./instance-table.tsx";
import { Failure } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import type { Counts, Found } from "./shapes.ts";

export function Overview(): JSX.Element {
  const counts = usePoll("counts", (signal) => get<Counts>("/instances/counts", {}, signal));
  const failed = usePoll("failed", (signal) =>
    get<Found>("/instances", { status: "errored", pageSize: 10 }, signal),
  );
  const rows = counts.data.value?.counts;
  return (
    <>
      <h1>Overview</h1>
      <Failure error={counts.error.value ?? failed.error.value} />
      {rows === undefined ? <p class="quiet">Counting…</p> : <Tiles counts={rows} />}
      <LastHour />
      <section aria-labelledby="failures">
        <h2 id="failures">Latest failures</h2>
        {failed.data.value === null ? null : failed.data.value.instances.length === 0 ? (
          <p class="empty">
            {failed.data.value.isIncomplete ? "None among the newest." : "No instance has failed."}
          </p>
        ) : (
          <InstanceTable instances={failed.data.value.instances} />
        )}
      </section>
      <h2>Workflows</h2>
      {rows === undefined ? null : rows.length === 0 ? (
        <p class="empty">No instance yet.</p>
      ) : (
        <CountTable counts={rows} />
      )}
    </>
  );
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Ends of the last hour, each kind up to a page of them. */
function LastHour(): JSX.Element {
  const ends = usePoll(
    "last hour",
    async (signal) => {
      // To the minute, so that pages that are open ask for the same.
      const updatedFrom = Math.floor((Date.now() - HOUR_MS) / MINUTE_MS) * MINUTE_MS;
      const count = async (status: string): Promise<string> => {
        const query = { status, updatedFrom, pageSize: 100 };
        const { instances, hasNextPage } = await get<Found>("/instances", query, signal);
        return `${instances.length}${hasNextPage ? "+" : ""}`;
      };
      return { complete: await count("complete"), errored: await count("errored") };
    },
    { pace: "slow" },
  );
  const now = ends.data.value;
  return (
    <p class="hour">
      {now === null ? (
        <span class="quiet">Last hour: …</span>
      ) : (
        <>
          In the last hour <strong>{now.complete}</strong> completed and{" "}
          <strong class={now.errored === "0" ? "" : "bad"}>{now.errored}</strong> failed.
        </>
      )}
    </p>
  );
}
