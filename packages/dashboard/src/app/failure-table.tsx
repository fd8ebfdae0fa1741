/** What fails: kinds of failures, and how many of each are among the newest. */
import type { JSX } from "preact";
import { type FailureGroup, groupFailures } from "./group-failures.ts";
import { InstanceLink, Link, toHref } from "./location.tsx";
import { Instant } from "./parts.tsx";
import type { Found } from "./shapes.ts";
import { Table } from "./table.tsx";

const MOST_GROUPS = 10;

export function FailureTable({ instances }: Pick<Found, "instances">): JSX.Element {
  return (
    <Table
      class="instances"
      label="Kinds of failures"
      columns={[["Failure", "wide"], "Workflow", ["How many", "number"], "Newest", "When"]}
    >
      {groupFailures(instances)
        .slice(0, MOST_GROUPS)
        .map((group) => (
          <Row key={group.key} group={group} />
        ))}
    </Table>
  );
}

function Row({ group: { newest, count } }: { readonly group: FailureGroup }): JSX.Element {
  const { workflowName: workflow, id, createdAt, details } = newest;
  const code = details.error?.code ?? undefined;
  return (
    <tr>
      <td class="about">
        <span class="message">
          <code>{code ?? details.error?.name}</code> {details.error?.message}
        </span>
      </td>
      <td class="of">{workflow}</td>
      <td class="number" data-label="failed">
        <Link to={toHref("/instances", { workflow, status: "errored", code })}>{count}</Link>
      </td>
      <td data-label="newest">
        <InstanceLink workflowName={workflow} id={id} />
      </td>
      <td class="when">
        <Instant at={createdAt} />
      </td>
    </tr>
  );
}
