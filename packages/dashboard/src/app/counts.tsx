/** Counts of instances: as tiles by status, and as a table by workflow. */
import type { JSX } from "preact";
import { toWords } from "./format.ts";
import { Link, toHref } from "./location.tsx";
import { type Counts, STATUSES, type StatusName } from "./shapes.ts";
import { Table } from "./table.tsx";

export type Count = Counts["counts"][number];

interface TilesProps {
  readonly counts: readonly Count[];
  /** The workflow whose instances they link to. @default all */
  readonly workflow?: string;
}

export function Tiles({ counts, workflow }: TilesProps): JSX.Element {
  return (
    <div class="tiles">
      {STATUSES.map((status) => {
        const own = counts.filter((count) => count.status === status);
        const sum = own.reduce((total, { count }) => total + count, 0);
        return (
          <Link
            key={status}
            to={toHref("/instances", { workflow, status })}
            class={`tile is-${status}${sum === 0 ? " is-none" : ""}`}
          >
            <strong>
              {toCount(
                sum,
                own.some(({ isCapped }) => isCapped),
              )}
            </strong>
            <span>{toWords(status)}</span>
          </Link>
        );
      })}
    </div>
  );
}

export function CountTable({ counts }: { readonly counts: readonly Count[] }): JSX.Element {
  const names = [...new Set(counts.map(({ workflowName }) => workflowName))];
  const find = (name: string, status: StatusName): Count | undefined =>
    counts.find((count) => count.workflowName === name && count.status === status);
  return (
    <Table
      class="instances"
      label="Instances by workflow and status"
      columns={["Workflow", ...STATUSES.map((status) => [toWords(status), "number"] as const)]}
    >
      {names.map((name) => (
        <tr key={name}>
          <th scope="row">
            <Link to={`/workflows/${encodeURIComponent(name)}`}>{name}</Link>
          </th>
          {STATUSES.map((status) => (
            <td
              key={status}
              class={`number${find(name, status)?.count ? "" : " none"}`}
              data-label={toWords(status)}
            >
              <Cell count={find(name, status)} />
            </td>
          ))}
        </tr>
      ))}
    </Table>
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

/** Counts stop at a limit. Beyond it, the number is round, because there may be far more. */
function toCount(count: number, isCapped: boolean): string {
  const unit = isCapped ? 10 ** Math.max(0, Math.floor(Math.log10(count || 1)) - 1) : 1;
  return `${(Math.floor(count / unit) * unit).toLocaleString("en")}${isCapped ? "+" : ""}`;
}
