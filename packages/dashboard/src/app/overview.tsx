/** How many instances have which status, and what failed last. */
import type { JSX } from "preact";
import { get } from "./api.ts";
import { toWords } from "./format.ts";
import { Link, toHref } from "./location.tsx";
import { Failure } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import { InstanceTable } from "./instance-table.tsx";
import { type Counts, type Found, STATUSES, type StatusName } from "./shapes.ts";

export function Overview(): JSX.Element {
  const counts = usePoll("counts", (signal) => get<Counts>("/instances/counts", {}, signal));
  const failed = usePoll("failed", (signal) =>
    get<Found>("/instances", { status: "errored", pageSize: 10 }, signal),
  );
  return (
    <>
      <h1>Overview</h1>
      <Failure error={counts.error.value ?? failed.error.value} />
      {counts.data.value === null ? (
        <p class="quiet">Counting…</p>
      ) : (
        <CountTable {...counts.data.value} />
      )}
      <section aria-labelledby="failures">
        <h2 id="failures">Latest failures</h2>
        {failed.data.value === null ? null : failed.data.value.instances.length === 0 ? (
          <p class="quiet">
            {failed.data.value.isIncomplete ? "None among the newest." : "No instance has failed."}
          </p>
        ) : (
          <InstanceTable instances={failed.data.value.instances} />
        )}
      </section>
    </>
  );
}

type Count = Counts["counts"][number];

function CountTable({ counts }: Counts): JSX.Element {
  const names = [...new Set(counts.map(({ workflowName }) => workflowName))];
  const find = (name: string, status: StatusName): Count | undefined =>
    counts.find((count) => count.workflowName === name && count.status === status);
  return (
    <>
      <div class="tiles">
        {STATUSES.map((status) => (
          <Tile
            key={status}
            status={status}
            counts={counts.filter((count) => count.status === status)}
          />
        ))}
      </div>
      <h2>Workflows</h2>
      {names.length === 0 ? (
        <p class="quiet">No instance yet.</p>
      ) : (
        <div
          class="scroll"
          tabIndex={0}
          role="region"
          aria-label="Instances by workflow and status"
        >
          <table>
            <thead>
              <tr>
                <th scope="col">Workflow</th>
                {STATUSES.map((status) => (
                  <th key={status} scope="col" class="number">
                    {toWords(status)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {names.map((name) => (
                <tr key={name}>
                  <th scope="row">
                    <Link to={toHref("/instances", { workflow: name })}>{name}</Link>
                  </th>
                  {STATUSES.map((status) => (
                    <td key={status} class="number">
                      <Cell count={find(name, status)} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function Tile({
  status,
  counts,
}: {
  readonly status: StatusName;
  readonly counts: readonly Count[];
}): JSX.Element {
  const sum = counts.reduce((total, { count }) => total + count, 0);
  const isCapped = counts.some((count) => count.isCapped);
  return (
    <Link
      to={toHref("/instances", { status })}
      class={`tile is-${status}${sum === 0 ? " is-none" : ""}`}
    >
      <strong>{toCount(sum, isCapped)}</strong>
      <span>{toWords(status)}</span>
    </Link>
  );
}

function Cell({ count }: { readonly count: Count | undefined }): JSX.Element {
  if (count === undefined || count.count === 0) return <span class="quiet">0</span>;
  const { workflowName: workflow, status } = count;
  return (
    <Link to={toHref("/instances", { workflow, status })}>
      {toCount(count.count, count.isCapped)}
    </Link>
  );
}

/** Counting ends at a cap. */
const toCount = (count: number, isCapped: boolean): string =>
  `${count.toLocaleString("en")}${isCapped ? "+" : ""}`;
