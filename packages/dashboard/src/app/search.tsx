/** One search box for an id, a tag, an error or a workflow. Every query is bounded. */
import type { JSX } from "preact";
import { ApiError, get } from "./api.ts";
import { type Filters, toQuery } from "./instance-filters.ts";
import { InstanceTable } from "./instance-table.tsx";
import { goTo, Link, place, toHref } from "./location.tsx";
import { Failure, Loading } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import type { Found } from "./shapes.ts";

type Instances = Found["instances"];

const LOOKED_AT = 100;
const SHOWN = 5;
const MOST_WORKFLOWS = 20;

export function SearchBox(): JSX.Element {
  const { path, query } = place.value;
  const here = path === "/search" ? (query.get("q") ?? "") : "";
  const search = (event: SubmitEvent): void => {
    event.preventDefault();
    const text = new FormData(event.currentTarget as HTMLFormElement).get("q");
    if (typeof text === "string" && text.trim() !== "") goTo(toHref("/search", { q: text.trim() }));
  };
  return (
    <form key={here} role="search" class="search" onSubmit={search}>
      <input
        type="search"
        name="q"
        defaultValue={here}
        aria-label="Search"
        placeholder="Search"
        title="An id, a tag, an error or a workflow"
        autocomplete="off"
        maxLength={200}
      />
    </form>
  );
}

/** The results, by what the text may be. */
interface Hits {
  readonly workflows: readonly string[];
  readonly byId: Found;
  readonly byTag: Found;
  readonly byCode: Found;
  /** Among the newest failures. */
  readonly byMessage: Instances;
}

export function Search(): JSX.Element {
  const text = (place.value.query.get("q") ?? "").trim();
  return (
    <>
      <h1>
        Search <span class="quiet">{text}</span>
      </h1>
      {text === "" ? (
        <p class="empty">Search by the beginning of an id, a tag, an error or a workflow.</p>
      ) : (
        <Results text={text} />
      )}
    </>
  );
}

function Results({ text }: { readonly text: string }): JSX.Element {
  const hits = usePoll(`search ${text}`, (signal) => findAll(text, signal), { pace: "slow" });
  const now = hits.data.value;
  if (now === null)
    return hits.error.value === null ? (
      <Loading error={null} />
    ) : (
      <Failure error={hits.error.value} />
    );
  const { workflows, byId, byTag, byCode, byMessage } = now;
  const found = [byId.instances, byTag.instances, byCode.instances, byMessage, workflows];
  return (
    <>
      <Failure error={hits.error.value} />
      {found.every(({ length }) => length === 0) ? (
        <p class="empty">
          No workflow has it in its name, no id begins with it, and it is no tag, no error code and
          in no message of the newest {LOOKED_AT} that failed.
        </p>
      ) : null}
      {workflows.length === 0 ? null : (
        <section aria-labelledby="hits-workflows">
          <h2 id="hits-workflows">Workflows</h2>
          <ul class="plain">
            {workflows.map((name) => (
              <li key={name}>
                <Link to={`/workflows/${encodeURIComponent(name)}`}>{name}</Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Hit title="Ids that begin with it" filters={{ prefix: text }} instances={byId.instances} />
      <Hit title="Tagged with it" filters={{ tag: text }} instances={byTag.instances} />
      <Hit
        title="Failed with this code"
        filters={{ code: text, status: "errored" }}
        instances={byCode.instances}
      />
      <Hit
        title={`In the error, among the newest ${LOOKED_AT} that failed`}
        filters={null}
        instances={byMessage}
      />
    </>
  );
}

interface HitProps {
  readonly title: string;
  /** The filters of a list with all of them; null: there is no such list. */
  readonly filters: Filters | null;
  readonly instances: Instances;
}

function Hit({ title, filters, instances }: HitProps): JSX.Element | null {
  if (instances.length === 0) return null;
  return (
    <section aria-label={title}>
      <div class="section-title">
        <h2>{title}</h2>
        {filters === null ? null : <Link to={toHref("/instances", filters)}>All of them</Link>}
      </div>
      <InstanceTable instances={instances.slice(0, SHOWN)} />
    </section>
  );
}

const NONE: Found = { instances: [], hasNextPage: false, isIncomplete: false };

async function findAll(text: string, signal: AbortSignal): Promise<Hits> {
  const find = (filters: Filters): Promise<Found> =>
    get<Found>("/instances", { ...toQuery(filters), pageSize: LOOKED_AT }, signal).catch(toNone);
  const [{ workflows }, byId, byTag, byCode, failed] = await Promise.all([
    get<{ readonly workflows: readonly { readonly name: string }[] }>("/workflows", {}, signal),
    find({ prefix: text }),
    find({ tag: text }),
    find({ code: text, status: "errored" }),
    find({ status: "errored" }),
  ]);
  const part = text.toLowerCase();
  const has = (value: string | undefined): boolean => value?.toLowerCase().includes(part) ?? false;
  const isThis = ({ id }: Instances[number]): number => (id === text ? 0 : 1);
  return {
    workflows: workflows
      .map(({ name }) => name)
      .filter(has)
      .slice(0, MOST_WORKFLOWS),
    byId: { ...byId, instances: byId.instances.toSorted((a, b) => isThis(a) - isThis(b)) },
    byTag,
    byCode,
    byMessage: failed.instances.filter(({ details: { error } }) => has(error?.message)),
  };
}

/** If the text cannot be an id, a tag or a code, there are no results of that kind. */
function toNone(error: unknown): Found {
  if (error instanceof ApiError && error.status === 400) return NONE;
  throw error;
}
