/** The events of an instance, and the step that took each. */
import type { JSX } from "preact";
import type { HistoryReader, HistoryShown } from "./history.ts";
import { Link, toHref } from "./location.tsx";
import { Instant, Reveal } from "./parts.tsx";
import { isAllowed } from "./settings.ts";

interface EventsProps {
  readonly history: HistoryShown;
  readonly reader: HistoryReader;
}

export function Events({ history, reader }: EventsProps): JSX.Element {
  return (
    <section aria-labelledby="events">
      <h2 id="events">
        Events <span class="quiet">{history.events.length}</span>
      </h2>
      {history.events.length === 0 ? (
        <p class="empty">None was sent.</p>
      ) : (
        <ul class="events">
          {history.events.map((event) => (
            <li key={event.id} class="card">
              <Type type={event.type} /> <span class="quiet">{event.id}</span>{" "}
              <Instant at={event.createdAt} />{" "}
              {event.consumedByStepKey === null ? (
                <span class="tag">not taken yet</span>
              ) : (
                <span>
                  taken by <code>{event.consumedByStepKey}</code>
                </span>
              )}
              {isAllowed("payloads") ? (
                <Reveal what="payload" load={() => reader.revealEvent(event.id)} />
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The end of a child is an event whose type contains the child's name. */
function Type({ type }: { readonly type: string }): JSX.Element {
  const id = /^child (\S+) /.exec(type)?.[1];
  if (id === undefined) return <strong>{type}</strong>;
  return (
    <>
      <strong>The child</strong> <Link to={toHref("/instances", { prefix: id })}>{id}</Link> ended
    </>
  );
}
