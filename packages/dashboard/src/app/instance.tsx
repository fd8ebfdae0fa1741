/** One instance: its state, what it did and waits for, its events, and what may be done to it. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Actions, Confirm, type Question, toRewind } from "./actions.tsx";
import { ApiError, get, instancePath } from "./api.ts";
import { Fork, SendEvent } from "./forms.tsx";
import { HistoryReader, type HistoryShown } from "./history.ts";
import { toHistoryText } from "./history-text.ts";
import { InstanceFacts } from "./instance-facts.tsx";
import { goTo, Link, place, toHref, toInstance } from "./location.tsx";
import { ErrorBox, Failure, Instant, Reveal, Status } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import { isAllowed } from "./settings.ts";
import { type Explanation, isEnded, isSettled, type ProgressPage, type View } from "./shapes.ts";
import { StepDetails } from "./step-details.tsx";
import { Waterfall } from "./waterfall.tsx";

interface InstanceProps {
  readonly workflowName: string;
  readonly id: string;
}

interface Shown {
  readonly view: View;
  readonly history: HistoryShown;
  readonly explanation: Explanation | null;
}

/** What is asked of the reader. */
type Asked = Question | "event" | { readonly forkAt: string } | null;

export function Instance({ workflowName, id }: InstanceProps): JSX.Element {
  const path = instancePath(workflowName, id);
  const run = readRun(place.value.query);
  const key = `${path}?${run ?? ""}`;
  const reader = useMemo(() => new HistoryReader(workflowName, id, run), [key]);
  const look = useMemo(() => createLook(path, reader), [key]);
  const shown = usePoll<Shown>(key, look, {
    isPartial: ({ history }) => history.isPartial,
    isSame: isSameShown,
    pace: "live",
  });
  const question = useSignal<Asked>(null);
  const ask = (asked: Asked): void => void (question.value = asked);
  const refresh = (): void => {
    const asked = question.value;
    ask(null);
    if (asked !== null && typeof asked === "object" && "verb" in asked && asked.verb === "delete")
      goTo(toHref("/instances", { workflow: workflowName }));
    reader.reset();
    shown.refresh();
  };
  const now = shown.data.value;
  return (
    <>
      <p class="crumbs">
        <Link to={`/workflows/${encodeURIComponent(workflowName)}`}>{workflowName}</Link>
      </p>
      <div class="title">
        <h1 class="id">{id}</h1>
        {now === null ? null : <Status of={now.view.details.status} />}
      </div>
      <Failure error={shown.error.value} />
      {now === null ? (
        <p class="quiet">{shown.error.value === null ? "Looking…" : ""}</p>
      ) : (
        <>
          <Toolbar workflowName={workflowName} id={id} view={now.view} onAsk={ask} />
          <Body shown={now} reader={reader} path={path} onAsk={ask} />
          <HistoryText title={`${workflowName} ${id}`} shown={now} />
          <AskedDialog
            asked={question.value}
            target={{ workflowName, id, runNumber: now.view.details.runNumber }}
            awaited={toAwaited(now.history)}
            onClose={() => ask(null)}
            onDone={refresh}
          />
        </>
      )}
    </>
  );
}

/** Of the run that is looked at; undefined: the present one. */
function readRun(query: URLSearchParams): number | undefined {
  const run = Number(query.get("run") || Number.NaN);
  return Number.isInteger(run) && run > 0 ? run : undefined;
}

const toAwaited = ({ steps }: HistoryShown): string[] => [
  ...new Set(
    steps.flatMap((step) =>
      step.type === "waitForEvent" && !isSettled(step) && step.waitEventType !== null
        ? [step.waitEventType]
        : [],
    ),
  ),
];

interface ToolbarProps extends InstanceProps {
  readonly view: View;
  readonly onAsk: (asked: Asked) => void;
}

function Toolbar({ workflowName, id, view, onAsk }: ToolbarProps): JSX.Element {
  const { status } = view.details;
  return (
    <div class="buttons">
      <Actions status={status} onAsk={onAsk} />
      {isAllowed("events") && !isEnded(status) ? (
        <button type="button" onClick={() => onAsk("event")}>
          Send event…
        </button>
      ) : null}
      <Link to={toHref(`/diff/${encodeURIComponent(workflowName)}`, { left: id })} class="button">
        Compare
      </Link>
    </div>
  );
}

interface AskedDialogProps {
  readonly asked: Asked;
  readonly target: {
    readonly workflowName: string;
    readonly id: string;
    readonly runNumber: number;
  };
  readonly awaited: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function AskedDialog({ asked, awaited, ...rest }: AskedDialogProps): JSX.Element | null {
  if (asked === null) return null;
  if (asked === "event") return <SendEvent awaited={awaited} {...rest} />;
  if ("verb" in asked) return <Confirm question={asked} {...rest} />;
  const { target, onClose } = rest;
  const toFork = (id: string): void => goTo(toInstance(target.workflowName, id));
  return <Fork stepKey={asked.forkAt} target={target} onClose={onClose} onForked={toFork} />;
}

interface HistoryTextProps {
  readonly title: string;
  readonly shown: Shown;
}

/** Written when somebody opens it. */
function HistoryText({ title, shown }: HistoryTextProps): JSX.Element {
  const isOpen = useSignal(false);
  const { view, history } = shown;
  return (
    <details class="as-text" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>History as text</summary>
      {isOpen.value ? <pre tabIndex={0}>{toHistoryText(title, view.details, history)}</pre> : null}
    </details>
  );
}

/** Histories are the same object while nothing in them changes. */
const isSameShown = (left: Shown, right: Shown): boolean =>
  left.history === right.history &&
  isSame([left.view, left.explanation], [right.view, right.explanation]);

/** Looks at an instance whose state does not change, for one explanation. */
const EXPLAINED_EVERY = 5;

/** One look at the instance. Where the server has no explanations, it is asked once. */
function createLook(path: string, reader: HistoryReader): (signal: AbortSignal) => Promise<Shown> {
  let hasExplanations = true;
  let before: View["details"] | null = null;
  let explained: Explanation | null = null;
  let looks = 0;
  const explain = async (signal: AbortSignal): Promise<Explanation | null> => {
    try {
      return hasExplanations ? await get<Explanation>(`${path}/explain`, {}, signal) : null;
    } catch (caught) {
      if (signal.aborted) throw caught;
      if (caught instanceof ApiError && caught.status >= 400) hasExplanations = false;
      return null;
    }
  };
  const lookFirst = async (signal: AbortSignal): Promise<Shown> => {
    const [view, explanation, history] = await Promise.all([
      get<View>(path, {}, signal),
      explain(signal),
      reader.look(signal),
    ]);
    before = view.details;
    explained = explanation;
    return { view, history, explanation };
  };
  return async (signal) => {
    looks += 1;
    // All at once: what is asked for next depends on what was seen before.
    if (before === null) return lookFirst(signal);
    const view = await get<View>(path, {}, signal);
    const { details } = view;
    const isChanged = !isSame(before, details);
    // What had ended goes on: steps that were settled may be so no more.
    if (isChanged && (before.error !== undefined || before.status !== details.status))
      reader.reset();
    before = details;
    // While its state is the same, why it does not move seldom changes.
    if (isChanged || looks % EXPLAINED_EVERY === 0) explained = await explain(signal);
    return { view, history: await reader.look(signal), explanation: explained };
  };
}

const isSame = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

interface BodyProps {
  readonly shown: Shown;
  readonly reader: HistoryReader;
  readonly path: string;
  readonly onAsk: (asked: Asked) => void;
}

function Body({ shown, reader, path, onAsk }: BodyProps): JSX.Element {
  const { view, history, explanation } = shown;
  const selected = useSignal<string | null>(null);
  const step = history.steps.find(({ stepKey }) => stepKey === selected.value);
  return (
    <>
      {explanation === null ? null : <p class="note">{explanation.sentence}</p>}
      <InstanceFacts details={view.details} history={history} />
      {view.details.error === undefined ? null : <ErrorBox error={view.details.error} />}
      {isAllowed("payloads") && view.details.status === "complete" ? (
        <Reveal
          what="output"
          load={async () => (await get<View>(path, { reveal: 1 })).details.output ?? null}
        />
      ) : null}
      <h2>
        Steps{" "}
        <span class="quiet">
          {history.steps.length.toLocaleString("en")}
          {history.isPartial ? "+" : ""}
        </span>
        <RunLinks present={view.details.runNumber} shown={history.runNumber} />
      </h2>
      {history.steps.length === 0 ? (
        <p class="empty">It has not begun a step.</p>
      ) : (
        <Waterfall
          steps={history.steps}
          selected={selected.value}
          onSelect={(key) => (selected.value = key === selected.value ? null : key)}
        />
      )}
      {step === undefined ? null : (
        <StepDetails
          key={step.stepKey}
          step={step}
          reveal={() => reader.reveal(step.stepKey)}
          onRewind={() => onAsk(toRewind(step.stepKey))}
          onFork={() => onAsk({ forkAt: step.stepKey })}
          onClose={() => (selected.value = null)}
        />
      )}
      <Events history={history} reader={reader} />
      {isAllowed("payloads") ? (
        <section aria-labelledby="progress">
          <h2 id="progress">Progress</h2>
          <Reveal
            what="progress"
            load={async () =>
              (await get<ProgressPage>(`${path}/stream`, { limit: 1000, reveal: 1 })).entries
            }
          />
        </section>
      ) : null}
    </>
  );
}

/** The last runs of an instance that began again. */
function RunLinks({
  present,
  shown,
}: {
  readonly present: number;
  readonly shown: number;
}): JSX.Element | null {
  if (present === 1) return null;
  const runs = Array.from({ length: Math.min(present, 8) }, (_, index) => present - index);
  const { path } = place.value;
  return (
    <span class="runs">
      {runs.map((run) => (
        <Link
          key={run}
          to={toHref(path, { run: run === present ? undefined : String(run) })}
          current={run === shown}
        >
          Run {run}
        </Link>
      ))}
    </span>
  );
}

function Events({
  history,
  reader,
}: Pick<BodyProps, "reader"> & { readonly history: HistoryShown }): JSX.Element {
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
              <strong>{event.type}</strong> <span class="quiet">{event.id}</span>{" "}
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
