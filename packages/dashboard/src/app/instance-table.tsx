/** A table of instances. */
import type { JSX } from "preact";
import { Link, toInstance } from "./location.tsx";
import { Status } from "./parts.tsx";
import type { Found } from "./shapes.ts";

export function InstanceTable({ instances }: Pick<Found, "instances">): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="List of instances">
      <table class="instances">
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Instance</th>
            <th scope="col">Workflow</th>
            <th scope="col" class="wide">
              About
            </th>
          </tr>
        </thead>
        <tbody>
          {instances.map((found) => (
            <Row key={`${found.workflowName} ${found.id}`} found={found} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ found }: { readonly found: Found["instances"][number] }): JSX.Element {
  const { id, workflowName, details } = found;
  return (
    <tr>
      <td>
        <Status of={details.status} />
      </td>
      <td>
        <Link to={toInstance(workflowName, id)} class="id">
          {id}
        </Link>
      </td>
      <td>{workflowName}</td>
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
