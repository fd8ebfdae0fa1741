/** Addresses below the dashboard's path, and links between them. */
import { type Signal, signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { PATH } from "./settings.ts";

/** The current address: the path below the dashboard's, and the query. */
export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const read = (): Place => ({
  path: location.pathname.slice(PATH.length) || "/",
  query: new URLSearchParams(location.search),
});

export const place: Signal<Place> = signal(read());

addEventListener("popstate", () => (place.value = read()));

/** Navigates, with an entry in the browser's history. */
export function goTo(href: string): void {
  history.pushState(null, "", `${PATH}${href}`);
  place.value = read();
  scrollTo(0, 0);
}

/**
 * Changes the query of the current page: without an entry in the browser's history, and without scrolling. @param value null: removes it
 */
export function replaceQuery(name: string, value: string | null): void {
  const query = new URLSearchParams(location.search);
  if (value === null) query.delete(name);
  else query.set(name, value);
  const search = query.size === 0 ? "" : `?${query}`;
  history.replaceState(null, "", `${location.pathname}${search}`);
  place.value = read();
}

export const toHref = (
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  return search.size === 0 ? path : `${path}?${search}`;
};

export const toInstance = (workflowName: string, id: string): string =>
  `/instances/${encodeURIComponent(workflowName)}/${encodeURIComponent(id)}`;

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** A real link, which can be opened in another tab. */
export function Link({ to, class: name, current, children }: LinkProps): JSX.Element {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <a
      href={`${PATH}${to}`}
      class={name}
      aria-current={current ? "page" : undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}

/** An instance by its id, with a link to its page. */
export function InstanceLink({
  workflowName,
  id,
}: {
  readonly workflowName: string;
  readonly id: string;
}): JSX.Element {
  return (
    <Link to={toInstance(workflowName, id)} class="id">
      {id}
    </Link>
  );
}
