/** Saved views of the list: their names and filters, only in this browser. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { Link, place } from "./location.tsx";
import { PATH } from "./settings.ts";

interface View {
  readonly name: string;
  /** The query of the list. */
  readonly search: string;
}

const KEY = `escapement views ${PATH}`;
const MOST_VIEWS = 20;

const views = signal<readonly View[]>(read());

/** The stored text may be from anything, so everything but a list of views is ignored. */
function read(): readonly View[] {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "[]") as unknown;
    return Array.isArray(stored) ? stored.filter(isView).slice(0, MOST_VIEWS) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is View {
  const { name, search } = (value ?? {}) as Partial<View>;
  return typeof name === "string" && typeof search === "string";
}

function write(next: readonly View[]): void {
  views.value = next.slice(0, MOST_VIEWS);
  try {
    localStorage.setItem(KEY, JSON.stringify(views.value));
  } catch {
    // If the browser stores nothing, views last as long as the page is open.
  }
}

export function SavedViews(): JSX.Element | null {
  const search = new URLSearchParams(place.value.query);
  search.delete("cursor");
  const here = search.toString();
  const isSaved = views.value.some((view) => view.search === here);
  if (views.value.length === 0 && here === "") return null;
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get("name");
    const name = typeof given === "string" ? given.trim().slice(0, 40) : "";
    if (name !== "")
      write([...views.value.filter((view) => view.name !== name), { name, search: here }]);
  };
  return (
    <div class="views" role="group" aria-label="Saved views">
      {views.value.map((view) => (
        <span key={view.name} class="view">
          <Link to={`/instances?${view.search}`} current={view.search === here}>
            {view.name}
          </Link>
          <button
            type="button"
            aria-label={`Forget ${view.name}`}
            onClick={() => write(views.value.filter((other) => other !== view))}
          >
            ×
          </button>
        </span>
      ))}
      {here === "" || isSaved ? null : (
        <form onSubmit={save}>
          <input
            name="name"
            aria-label="Name of the view"
            placeholder="Name this view"
            maxLength={40}
          />
          <button type="submit">Save</button>
        </form>
      )}
    </div>
  );
}
