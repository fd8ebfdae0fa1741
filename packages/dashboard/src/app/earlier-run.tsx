/** The runs of an instance: links to them, and what is said on the page of an earlier one. */
import type { JSX } from "preact";
import type { Shown } from "./instance-look.ts";
import { Link, place, toHref } from "./location.tsx";

/** Whether the page shows the present run, which is the only one that commands act on. */
export const isPresent = ({ view, history }: Shown): boolean =>
  view.details.runNumber === history.runNumber;

/** Why no command is offered, and where they are. */
export function EarlierRun({ shown: { view, history } }: { readonly shown: Shown }): JSX.Element {
  const { runNumber: present } = view.details;
  const { runNumber: run } = history;
  return (
    <p class="note" role="status">
      {run > present
        ? `There is no run ${run}. `
        : `This is run ${run}, an earlier one. Commands act on the present run only. `}
      <Link to={place.value.path}>Go to run {present}</Link>
    </p>
  );
}

/** How many runs have a link. */
const MOST_RUNS = 8;

/** The last runs of an instance with several runs. */
export function RunLinks({
  shown: { view, history },
}: {
  readonly shown: Shown;
}): JSX.Element | null {
  const { runNumber: present } = view.details;
  if (present === 1) return null;
  const runs = Array.from({ length: Math.min(present, MOST_RUNS) }, (_, index) => present - index);
  const { path } = place.value;
  return (
    <span class="runs">
      {runs.map((run) => (
        <Link
          key={run}
          to={toHref(path, { run: run === present ? undefined : String(run) })}
          current={run === history.runNumber}
        >
          Run {run}
        </Link>
      ))}
    </span>
  );
}
