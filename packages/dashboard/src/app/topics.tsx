/** Runs that wait for a topic, and a form to emit a message to them. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { get } from "./api.ts";
import { Emit } from "./forms.tsx";
import { goTo, InstanceLink, place, toHref } from "./location.tsx";
import { Failure, Instant } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import { isAllowed } from "./settings.ts";
import { Table } from "./table.tsx";

interface Waiter {
  readonly workflowName: string;
  readonly id: string;
  readonly runNumber: number;
  readonly stepKey: string;
  readonly wakeAt: number | null;
}

/** The most waiters that are shown. */
const MOST_WAITERS = 200;

export function Topics(): JSX.Element {
  const topic = place.value.query.get("topic") ?? "";
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get("topic");
    goTo(toHref("/topics", { topic: typeof given === "string" ? given.trim() : "" }));
  };
  return (
    <>
      <h1>Topics</h1>
      <form key={topic} class="filters narrow" onSubmit={open} aria-label="Which topic">
        <label>
          Topic
          <input name="topic" defaultValue={topic} autocomplete="off" />
        </label>
        <div class="buttons">
          <button type="submit" class="primary">
            Look
          </button>
        </div>
      </form>
      {topic === "" ? (
        <p class="empty">A topic is a name that runs wait for. Name one to see which do.</p>
      ) : (
        <Waiters key={topic} topic={topic} />
      )}
    </>
  );
}

function Waiters({ topic }: { readonly topic: string }): JSX.Element {
  const path = `/topics/${encodeURIComponent(topic)}/waiters`;
  const found = usePoll(path, (signal) =>
    get<{ readonly waiters: readonly Waiter[] }>(path, { limit: MOST_WAITERS }, signal),
  );
  const isSending = useSignal(false);
  const waiters = found.data.value?.waiters;
  return (
    <>
      <Failure error={found.error.value} />
      {isAllowed("events") && waiters !== undefined ? (
        <div class="buttons">
          <button type="button" onClick={() => (isSending.value = true)}>
            Send a message…
          </button>
        </div>
      ) : null}
      {waiters === undefined ? null : waiters.length === 0 ? (
        <p class="empty">No run waits for it.</p>
      ) : (
        <WaiterTable waiters={waiters} />
      )}
      {isSending.value ? (
        <Emit
          topic={topic}
          onClose={() => (isSending.value = false)}
          onDone={() => {
            isSending.value = false;
            found.refresh();
          }}
        />
      ) : null}
    </>
  );
}

function WaiterTable({ waiters }: { readonly waiters: readonly Waiter[] }): JSX.Element {
  return (
    <>
      <h2>
        Runs that wait <span class="quiet">longest first</span>
      </h2>
      <Table
        class="instances"
        label="Runs that wait"
        columns={["Instance", "Workflow", "Step", "Until"]}
      >
        {waiters.map(({ workflowName, id, runNumber, stepKey, wakeAt }) => (
          <tr key={`${workflowName} ${id} ${runNumber} ${stepKey}`}>
            <td>
              <InstanceLink workflowName={workflowName} id={id} />
            </td>
            <td>{workflowName}</td>
            <td data-label="at">
              <code>{stepKey}</code>
            </td>
            <td data-label="until">{wakeAt === null ? "for ever" : <Instant at={wakeAt} />}</td>
          </tr>
        ))}
      </Table>
      {waiters.length === MOST_WAITERS ? <p class="note">There may be more.</p> : null}
    </>
  );
}
