/** One workflow: the state of its instances, and the places that the newest of them have passed. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { ApiError, get, instancePath } from "./api.ts";
import { Tiles } from "./counts.tsx";
import { toTook } from "./format.ts";
import { Start } from "./forms.tsx";
import { InstanceTable } from "./instance-table.tsx";
import { goTo, Link, toHref, toInstance } from "./location.tsx";
import { Failure } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import { isAllowed } from "./settings.ts";
import type { Counts, Found, History } from "./shapes.ts";
import { type PlaceSummary, summarisePlaces } from "./summarise-places.ts";
import { Table } from "./table.tsx";

/** How many histories are read on request, and only one page of each. */
const SAMPLE = 10;

export function Workflow({ name }: { readonly name: string }): JSX.Element {
  const counts = usePoll(`counts ${name}`, (signal) =>
    get<Counts>("/instances/counts", { workflows: name }, signal),
  );
  const newest = usePoll(`newest ${name}`, (signal) =>
    get<Found>("/instances", { workflows: name, pageSize: 5 }, signal),
  );
  const isStarting = useSignal(false);
  return (
    <>
      <p class="crumbs">
        <Link to="/workflows">Workflows</Link>
      </p>
      <div class="title">
        <h1>{name}</h1>
        {isAllowed("start") ? (
          <button type="button" class="primary" onClick={() => (isStarting.value = true)}>
            Start…
          </button>
        ) : null}
      </div>
      <Failure error={counts.error.value ?? newest.error.value} />
      {counts.data.value === null ? null : (
        <Tiles counts={counts.data.value.counts} workflow={name} />
      )}
      <h2>Newest</h2>
      {newest.data.value === null ? null : newest.data.value.instances.length === 0 ? (
        <p class="empty">No instance yet. It has some once somebody starts one.</p>
      ) : (
        <InstanceTable instances={newest.data.value.instances} workflow={name} />
      )}
      <p>
        <Link to={toHref("/instances", { workflow: name })}>All its instances</Link>
      </p>
      <Places name={name} />
      {isStarting.value ? (
        <Start
          workflowName={name}
          onClose={() => (isStarting.value = false)}
          onStarted={(id) => goTo(toInstance(name, id))}
        />
      ) : null}
    </>
  );
}

interface Sample {
  readonly places: readonly PlaceSummary[];
  readonly of: number;
}

async function readSample(name: string): Promise<Sample> {
  const query = { workflows: name, status: "complete,errored,waiting", pageSize: SAMPLE };
  const { instances } = await get<Found>("/instances", query);
  const histories: History["steps"][] = [];
  // One after another, so that the database is not under pressure.
  for (const { id } of instances)
    histories.push((await get<History>(`${instancePath(name, id)}/history`)).steps);
  return { places: summarisePlaces(histories), of: histories.length };
}

function Places({ name }: { readonly name: string }): JSX.Element {
  const sample = useSignal<Sample | null>(null);
  const error = useSignal<ApiError | null>(null);
  const isReading = useSignal(false);
  const read = async (): Promise<void> => {
    isReading.value = true;
    error.value = null;
    try {
      sample.value = await readSample(name);
    } catch (caught) {
      error.value = caught instanceof ApiError ? caught : new ApiError(0, "OFFLINE", "No answer.");
    }
    isReading.value = false;
  };
  return (
    <section aria-labelledby="places">
      <h2 id="places">Places</h2>
      <Failure error={error.value} />
      {sample.value === null ? (
        <div class="empty">
          <p>Where runs go, how long they take there, and what fails, by the newest {SAMPLE}.</p>
          <button type="button" disabled={isReading.value} onClick={() => void read()}>
            {isReading.value ? "Reading…" : "Read their histories"}
          </button>
        </div>
      ) : (
        <PlaceTable {...sample.value} />
      )}
    </section>
  );
}

function PlaceTable({ places, of }: Sample): JSX.Element {
  if (places.length === 0) return <p class="empty">None of them has begun a step.</p>;
  const longest = Math.max(1, ...places.map(({ medianMs }) => medianMs ?? 0));
  return (
    <Table
      class="instances places"
      label="Table of places"
      columns={[
        "Place",
        "Median",
        ["Longest", "number"],
        ["Seen in", "number"],
        ["Retried", "number"],
        ["Failed", "number"],
      ]}
    >
      {places.map((place) => (
        <PlaceRow key={place.place} place={place} of={of} longest={longest} />
      ))}
    </Table>
  );
}

interface PlaceRowProps {
  readonly place: PlaceSummary;
  readonly of: number;
  readonly longest: number;
}

function PlaceRow({ place, of, longest }: PlaceRowProps): JSX.Element {
  const { name, type, depth, seen, steps, medianMs, longestMs, failed, retried } = place;
  return (
    <tr>
      <th scope="row">
        <span
          class="place"
          style={{ paddingLeft: `${Math.min(depth, 8) * 18}px` }}
          title={place.place}
        >
          {name} <span class="quiet">{type}</span>
        </span>
      </th>
      <td data-label="median">
        {medianMs === null ? (
          <span class="quiet">–</span>
        ) : (
          <span class="median">
            <span class="share" style={{ width: `${Math.max((medianMs / longest) * 60, 1)}%` }} />
            <span>{toTook(medianMs)}</span>
          </span>
        )}
      </td>
      <td class="number" data-label="longest">
        {toTook(longestMs) || <span class="quiet">–</span>}
      </td>
      <td class="number" data-label="seen in">
        {seen} of {of}
        {steps > seen ? <span class="quiet"> · {steps} steps</span> : null}
      </td>
      <td class={`number${retried === 0 ? " none" : ""}`} data-label="retried">
        {retried === 0 ? <span class="quiet">0</span> : retried}
      </td>
      <td class={`number${failed === 0 ? " none" : ""}`} data-label="failed">
        {failed === 0 ? <span class="quiet">0</span> : <strong class="bad">{failed}</strong>}
      </td>
    </tr>
  );
}
