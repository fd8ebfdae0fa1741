/** The progress stream of an instance, live from the moment that the user opens it. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { get } from "./api.ts";
import { toInstant, toJson } from "./format.ts";
import { Failure, Loading } from "./parts.tsx";
import { isLive, usePoll } from "./poll.ts";
import type { ProgressPage } from "./shapes.ts";

type Entry = ProgressPage["entries"][number];

/** How many entries the page keeps: the newest. */
const MOST_ENTRIES = 500;
const PAGE_ENTRIES = 200;

/** @param path of the instance */
export function ProgressTail({ path }: { readonly path: string }): JSX.Element {
  const isShown = useSignal(false);
  return (
    <section aria-labelledby="progress">
      <div class="section-title">
        <h2 id="progress">Progress</h2>
        <button type="button" onClick={() => (isShown.value = !isShown.value)}>
          {isShown.value ? "Hide" : "Show"} progress
        </button>
      </div>
      {isShown.value ? <Tail path={path} /> : null}
    </section>
  );
}

/** Everything that was read so far. */
interface Told {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
  readonly hasEnded: boolean;
}

function Tail({ path }: { readonly path: string }): JSX.Element {
  const read = useMemo(() => createReader(path), [path]);
  const told = usePoll(`progress ${path}`, read, {
    isPartial: ({ hasMore }) => hasMore,
    isSame: (left, right) => left === right,
    pace: "live",
  });
  const now = told.data.value;
  const error = told.error.value;
  if (now === null) return error === null ? <Loading error={null} /> : <Failure error={error} />;
  return (
    <>
      <Failure error={error} />
      {now.entries.length === 0 ? (
        <p class="empty">It has told nothing.</p>
      ) : (
        <ol class="tail" tabIndex={0} aria-label="Entries, the newest first">
          {now.entries.toReversed().map(({ sequence, timestamp, step, value }) => (
            <li key={sequence}>
              <time dateTime={new Date(timestamp).toISOString()}>{toInstant(timestamp)}</time>{" "}
              <code>{step}</code> <pre>{typeof value === "string" ? value : toJson(value)}</pre>
            </li>
          ))}
        </ol>
      )}
      <p class="hint">{toHint(now)}</p>
    </>
  );
}

function toHint({ hasEnded, entries }: Told): string {
  const kept = entries.length === MOST_ENTRIES ? `The newest ${MOST_ENTRIES}. ` : "";
  if (hasEnded) return `${kept}The instance has ended.`;
  return kept + (isLive.value ? "New entries appear by themselves." : "Paused: choose Live above.");
}

/** Each look reads the entries since the last. If there are none, it returns the same object. */
function createReader(path: string): (signal: AbortSignal) => Promise<Told> {
  let told: Told = { entries: [], hasMore: false, hasEnded: false };
  let after: number | undefined;
  return async (signal) => {
    const query = { after, limit: PAGE_ENTRIES, reveal: 1 };
    const page = await get<ProgressPage>(`${path}/stream`, query, signal);
    const hasMore = page.entries.length === PAGE_ENTRIES;
    after = page.entries.at(-1)?.sequence ?? after;
    if (page.entries.length > 0 || page.ended !== told.hasEnded || hasMore !== told.hasMore)
      told = {
        entries: [...told.entries, ...page.entries].slice(-MOST_ENTRIES),
        hasMore,
        hasEnded: page.ended,
      };
    return told;
  };
}
