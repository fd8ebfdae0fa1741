/** Due runs that wait for a runner, by workflow. */
import type { JSX } from "preact";
import { LIVE } from "./instance-filters.ts";
import { Link, toHref } from "./location.tsx";
import { Instant } from "./parts.tsx";
import type { Activity } from "./shapes.ts";
import { Table } from "./table.tsx";

/** The due runs of each workflow, for the page of runners. */
export function DueTable({ due }: Pick<Activity, "due">): JSX.Element {
  return (
    <Table
      label="What is due, by workflow"
      columns={["Workflow", ["Due now", "number"], "The oldest since"]}
    >
      {due.map(({ workflowName, count, isCapped, oldestAt }) => (
        <tr key={workflowName}>
          <th scope="row">
            <Link to={toHref("/instances", { workflow: workflowName, status: LIVE })}>
              {workflowName}
            </Link>
          </th>
          <td class="number">
            {count.toLocaleString("en")}
            {isCapped ? "+" : ""}
          </td>
          <td>
            <Instant at={oldestAt} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
