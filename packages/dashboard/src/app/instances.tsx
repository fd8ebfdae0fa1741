/** Instances of all workflows, with filters, which are in the address. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { get } from "./api.ts";
import { BulkButton, toCount } from "./bulk-dialog.tsx";
import { toWords } from "./format.ts";
import {
  type Filter,
  type Filters,
  FILTERS,
  LIVE,
  readFilters,
  STUCK,
  toAddressTime,
  toFieldTime,
  toQuery,
} from "./instance-filters.ts";
import { InstanceTable } from "./instance-table.tsx";
import { goTo, Link, place, toHref } from "./location.tsx";
import { Failure } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import { SavedViews } from "./saved-views.tsx";
import { type Counts, type Found, STATUSES } from "./shapes.ts";

export function Instances(): JSX.Element {
  const { query } = place.value;
  const filters = readFilters(query);
  const cursor = query.get("cursor") ?? undefined;
  const found = usePoll(query.toString(), (signal) =>
    get<Found>("/instances", { ...toQuery(filters), cursor, pageSize: 50 }, signal),
  );
  return (
    <>
      <h1>
        Instances <Matching filters={filters} listed={found.data.value} />
      </h1>
      <FilterForm key={query.toString()} filters={filters} />
      <div class="tools">
        <button type="submit" form="filters" class="primary">
          Find
        </button>
        {Object.keys(filters).length === 0 ? null : <Link to="/instances">Clear</Link>}
        <SavedViews />
        <BulkButton key={`bulk ${query}`} filters={filters} />
      </div>
      <Failure error={found.error.value} />
      {found.data.value === null ? (
        <p class="quiet">{found.error.value === null ? "Looking…" : ""}</p>
      ) : (
        <Page found={found.data.value} filters={filters} isFirst={cursor === undefined} />
      )}
    </>
  );
}

interface MatchingProps {
  readonly filters: Filters;
  readonly listed: Found | null;
}

/** How many match, on all pages. They are counted again when the list has changed. */
function Matching({ filters, listed }: MatchingProps): JSX.Element | null {
  const query = toQuery(filters);
  const key = `count ${JSON.stringify(query)}`;
  const ask = (signal: AbortSignal): Promise<Counts> => get("/instances/counts", query, signal);
  const counted = usePoll(key, ask, { pace: "slow" });
  useEffect(() => {
    if (counted.data.peek() !== null) counted.refresh();
  }, [listed]);
  const counts = counted.data.value?.counts;
  if (counts === undefined) return null;
  const sum = counts.reduce((total, { count }) => total + count, 0);
  const isCapped = counts.some((count) => count.isCapped);
  return <span class="quiet">{toCount(sum, isCapped)}</span>;
}

interface PageProps {
  readonly found: Found;
  readonly filters: Filters;
  readonly isFirst: boolean;
}

function Page({ found, filters, isFirst }: PageProps): JSX.Element {
  const { instances, cursor, hasNextPage, isIncomplete } = found;
  return (
    <>
      {instances.length === 0 ? (
        <p class="empty">
          {isIncomplete ? (
            "None among those looked at so far."
          ) : Object.keys(filters).length > 0 ? (
            "No instance matches."
          ) : (
            <>
              No instance yet. <Link to="/workflows">Start one</Link>, or let your code create it.
            </>
          )}
        </p>
      ) : (
        <InstanceTable instances={instances} workflow={filters.workflow} />
      )}
      {isIncomplete ? (
        <p class="note">
          Few instances match: the look ended before this page was full. It goes on with the next
          page.
        </p>
      ) : null}
      <nav class="pages" aria-label="Pages of the list">
        {isFirst ? null : <Link to={toHref("/instances", filters)}>First page</Link>}
        {hasNextPage && cursor !== undefined ? (
          <Link to={toHref("/instances", { ...filters, cursor })}>Next page</Link>
        ) : null}
      </nav>
    </>
  );
}

function FilterForm({ filters }: { readonly filters: Filters }): JSX.Element {
  const workflows = usePoll("workflows", (signal) =>
    get<{ readonly workflows: readonly { readonly name: string }[] }>("/workflows", {}, signal),
  );
  const names = new Set(workflows.data.value?.workflows.map(({ name }) => name));
  if (filters.workflow !== undefined) names.add(filters.workflow);
  const apply = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const texts = FILTERS.map((name) => [name, toText(given.get(name))] as const);
    const inUtc = texts.map(([name, text]) => [name, isTime(name) ? toAddressTime(text) : text]);
    goTo(toHref("/instances", Object.fromEntries(inUtc) as Filters));
  };
  const isMore = useSignal(FEW.some((name) => filters[name] !== undefined));
  return (
    <form
      id="filters"
      class={`filters all${isMore.value ? "" : " is-short"}`}
      onSubmit={apply}
      aria-label="Filters"
    >
      <label>
        Workflow
        <select key={[...names].join()} name="workflow" onChange={submit}>
          <option value="">all</option>
          {[...names].map((name) => (
            <option key={name} selected={name === filters.workflow}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Status
        <select name="status" onChange={submit}>
          <option value="">any</option>
          <option value={LIVE} selected={filters.status === LIVE}>
            not ended
          </option>
          <option value={STUCK} selected={filters.status === STUCK}>
            stuck
          </option>
          {STATUSES.map((status) => (
            <option key={status} value={status} selected={status === filters.status}>
              {toWords(status)}
            </option>
          ))}
        </select>
      </label>
      <Field name="prefix" label="Id begins with" filters={filters} />
      <Field name="tag" label="Tag" filters={filters} />
      <Field name="code" label="Error code" filters={filters} />
      <Field name="from" label="Created from" type="datetime-local" filters={filters} />
      <Field name="before" label="Created before" type="datetime-local" filters={filters} />
      <button type="button" class="more" onClick={() => (isMore.value = true)}>
        More filters
      </button>
    </form>
  );
}

/** On a phone, these filters are hidden until they are used or asked for. */
const FEW: readonly Filter[] = ["tag", "code", "from", "before"];

const isTime = (name: Filter): boolean => name === "from" || name === "before";

interface FieldProps {
  readonly name: Filter;
  readonly label: string;
  readonly type?: "datetime-local";
  readonly filters: Filters;
}

function Field({ name, label, type, filters }: FieldProps): JSX.Element {
  const text = isTime(name) ? toFieldTime(filters[name]) : (filters[name] ?? "");
  const given = { name, defaultValue: text, autocomplete: "off" };
  return (
    <label>
      {label}
      {type === undefined ? <input type="text" {...given} /> : <input type={type} {...given} />}
    </label>
  );
}

const submit = (event: Event): void =>
  (event.currentTarget as HTMLSelectElement).form?.requestSubmit();

const toText = (value: FormDataEntryValue | null): string =>
  typeof value === "string" ? value.trim() : "";
