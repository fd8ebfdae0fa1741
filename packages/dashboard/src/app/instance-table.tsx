/** A table of instances. */
import type { JSX } from "preact";
import { toDuration } from "./format.ts";
import { InstanceLink } from "./location.tsx";
import { Instant, Status } from "./parts.tsx";
import type { Found } from "./shapes.ts";
import { Table } from "./table.tsx";

interface InstanceTableProps {
  readonly instances: Found["instances"];
  /** The workflow of all instances, which is then not repeated in each row. @default any */
  readonly workflow?: string | undefined;
}

export function InstanceTable({ instances, workflow }: InstanceTableProps): JSX.Element {
  const isOfAny = instances.some(({ workflowName }) => workflowName !== workflow);
  return (
    <Table
      class="instances"
      label="List of instances"
      columns={[
        "Status",
        "Instance",
        ...(isOfAny ? ["Workflow"] : []),
        "Created",
        ["Took", "number"],
        ["About", "wide"],
      ]}
    >
      {instances.map((found) => (
        <Row key={`${found.workflowName} ${found.id}`} found={found} isOfAny={isOfAny} />
      ))}
    </Table>
  );
}

interface RowProps {
  readonly found: Found["instances"][number];
  readonly isOfAny: boolean;
}

function Row({ found, isOfAny }: RowProps): JSX.Element {
  const { id, workflowName, details, createdAt, startedAt, completedAt } = found;
  const tookMs = startedAt === null || completedAt === null ? null : completedAt - startedAt;
  return (
    <tr>
      <td>
        <Status of={details.status} />
      </td>
      <td>
        <InstanceLink workflowName={workflowName} id={id} />
      </td>
      {isOfAny ? <td class="of">{workflowName}</td> : null}
      <td class="when">
        <Instant at={createdAt} />
      </td>
      <td class="number">{tookMs === null ? "" : toDuration(tookMs)}</td>
      <td class="about">
        {details.error === undefined ? null : (
          <span class="message">
            <code>{details.error.code ?? details.error.name}</code> {details.error.message}
          </span>
        )}
        {details.tags?.map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
      </td>
    </tr>
  );
}
