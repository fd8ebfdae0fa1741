/** All registered workflows. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { get } from "./api.ts";
import { CountTable } from "./counts.tsx";
import { Start } from "./forms.tsx";
import { goTo, toInstance } from "./location.tsx";
import { Failure } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import { isAllowed } from "./settings.ts";
import type { Counts } from "./shapes.ts";

export function Workflows(): JSX.Element {
  const counts = usePoll("counts", (signal) => get<Counts>("/instances/counts", {}, signal));
  const starting = useSignal<string | null>(null);
  const rows = counts.data.value?.counts ?? [];
  const names = [...new Set(rows.map(({ workflowName }) => workflowName))];
  return (
    <>
      <h1>Workflows</h1>
      <Failure error={counts.error.value} />
      {isAllowed("start") && names.length > 0 ? (
        <div class="buttons starters" role="group" aria-label="Start">
          {names.slice(0, 20).map((name) => (
            <button key={name} type="button" onClick={() => (starting.value = name)}>
              Start {name}…
            </button>
          ))}
        </div>
      ) : null}
      {counts.data.value === null ? (
        <p class="quiet">{counts.error.value === null ? "Counting…" : ""}</p>
      ) : names.length === 0 ? (
        <p class="empty">No workflow is registered.</p>
      ) : (
        <CountTable counts={rows} />
      )}
      {starting.value === null ? null : (
        <Start
          workflowName={starting.value}
          onClose={() => (starting.value = null)}
          onStarted={(id) => goTo(toInstance(starting.value ?? "", id))}
        />
      )}
    </>
  );
}
