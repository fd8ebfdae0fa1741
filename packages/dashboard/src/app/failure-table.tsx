/** The kinds of failures, how many of each are among the newest, and links to them. */
import type { JSX } from "preact";
import { type FailureGroup, groupFailures } from "./group-failures.ts";
import { InstanceLink, Link, toHref } from "./location.tsx";
import { Instant } from "./parts.tsx";
import type { Found } from "./shapes.ts";
import { Table } from "./table.tsx";

const MOST_GROUPS = 6;

export function FailureTable({ found }: { readonly found: Found }): JSX.Element {
  const { instances, hasNextPage } = found;
  const groups = groupFailures(instances);
  return (
    <>
      <Table
        class="instances failures"
        label="Kinds of failures"
        columns={[
          ["How many", "number"],
          ["Failure", "wide"],
          "Workflow",
          "Newest",
          "Failed",
          "Understand",
        ]}
      >
        {groups.slice(0, MOST_GROUPS).map((group) => (
          <Row key={group.key} group={group} isLeast={hasNextPage} />
        ))}
      </Table>
      {hasNextPage || groups.length > MOST_GROUPS ? (
        <p class="hint">
          {hasNextPage ? `Among the newest ${instances.length} that failed. ` : ""}
          {groups.length > MOST_GROUPS
            ? `The ${MOST_GROUPS} most frequent kinds of ${groups.length}.`
            : ""}
        </p>
      ) : null}
    </>
  );
}

interface RowProps {
  readonly group: FailureGroup;
  /** There may be more than the ones that were looked at. */
  readonly isLeast: boolean;
}

function Row({ group: { newest, count }, isLeast }: RowProps): JSX.Element {
  const { workflowName: workflow, id, createdAt, completedAt, details } = newest;
  const code = details.error?.code ?? undefined;
  return (
    <tr>
      <td class="number" data-label="failed">
        <Link to={toHref("/instances", { workflow, status: "errored", code })} class="count">
          {count}
          {isLeast ? "+" : ""}
        </Link>
      </td>
      <td class="about">
        <span class="message">
          <code>{code ?? details.error?.name}</code> {details.error?.message}
        </span>
      </td>
      <td class="of">{workflow}</td>
      <td data-label="newest">
        <InstanceLink workflowName={workflow} id={id} />
      </td>
      <td class="when">
        <Instant at={completedAt ?? createdAt} />
      </td>
      <td>
        <Link to={toHref(`/diff/${encodeURIComponent(workflow)}`, { left: id })}>
          Compare<span class="spoken"> {id} with a good one</span>
        </Link>
      </td>
    </tr>
  );
}
