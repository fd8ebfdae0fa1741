/** Callbacks that runs wait for. Their tokens are never shown. */
import type { JSX } from "preact";
import { get } from "./api.ts";
import { goTo, InstanceLink, Link, place, toHref } from "./location.tsx";
import { Failure, Instant, Status } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import type { Callbacks as Found } from "./shapes.ts";
import { Table } from "./table.tsx";

export function Callbacks(): JSX.Element {
  const { query } = place.value;
  const workflow = query.get("workflow") ?? "";
  const cursor = query.get("cursor") ?? undefined;
  const found = usePoll(`callbacks ${query}`, (signal) =>
    get<Found>("/open-callbacks", { workflows: workflow, cursor, pageSize: 50 }, signal),
  );
  const now = found.data.value;
  return (
    <>
      <h1>Callbacks</h1>
      <p class="lead">
        Waits of <code>step.callback</code> that nobody has ended yet, of the oldest instances
        first.
      </p>
      <WorkflowChoice workflow={workflow} />
      <Failure error={found.error.value} />
      {now === null ? (
        <p class="quiet">{found.error.value === null ? "Looking…" : ""}</p>
      ) : now.callbacks.length === 0 ? (
        <p class="empty">
          {now.isIncomplete
            ? "None among the instances looked at so far."
            : "None is open. A run opens one by step.callback, and waits until somebody outside uses it."}
        </p>
      ) : (
        <CallbackTable callbacks={now.callbacks} />
      )}
      {now?.isIncomplete === true ? (
        <p class="note">
          The search stopped before this page was full. The next page continues it.
        </p>
      ) : null}
      <nav class="pages" aria-label="Pages of the list">
        {cursor === undefined ? null : (
          <Link to={toHref("/callbacks", { workflow })}>First page</Link>
        )}
        {now?.hasNextPage === true && now.cursor !== undefined ? (
          <Link to={toHref("/callbacks", { workflow, cursor: now.cursor })}>Next page</Link>
        ) : null}
      </nav>
    </>
  );
}

function WorkflowChoice({ workflow }: { readonly workflow: string }): JSX.Element {
  const workflows = usePoll("workflows", (signal) =>
    get<{ readonly workflows: readonly { readonly name: string }[] }>("/workflows", {}, signal),
  );
  const names = new Set(workflows.data.value?.workflows.map(({ name }) => name));
  if (workflow !== "") names.add(workflow);
  return (
    <form class="filters narrow" aria-label="Filters">
      <label>
        Workflow
        <select
          key={[...names].join()}
          onChange={(event) => goTo(toHref("/callbacks", { workflow: event.currentTarget.value }))}
        >
          <option value="">all</option>
          {[...names].map((name) => (
            <option key={name} value={name} selected={name === workflow}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}

function CallbackTable({ callbacks }: Pick<Found, "callbacks">): JSX.Element {
  return (
    <Table
      class="instances"
      label="Open callbacks"
      columns={["Instance", "Workflow", "Step", "Waits since", "Until", "Status"]}
    >
      {callbacks.map(({ workflowName, id, stepKey, createdAt, wakeAt, status }) => (
        <tr key={`${workflowName} ${id} ${stepKey}`}>
          <td>
            <InstanceLink workflowName={workflowName} id={id} />
          </td>
          <td>{workflowName}</td>
          <td>
            <code>{stepKey}</code>
          </td>
          <td data-label="waits since">
            <Instant at={createdAt} />
          </td>
          <td data-label="until">{wakeAt === null ? "for ever" : <Instant at={wakeAt} />}</td>
          <td>
            <Status of={status} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
