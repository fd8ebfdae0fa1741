/** One instance: its state, what it did and waits for, its events, and what may be done to it. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Actions, Confirm, type Question, SendEvent, toRewind } from "./actions.tsx";
import { ApiError, get, instancePath } from "./api.ts";
import { HistoryReader, type HistoryShown } from "./history.ts";
import { InstanceFacts } from "./instance-facts.tsx";
import { Link, toHref } from "./location.tsx";
import { ErrorBox, Failure, Instant, Reveal, Status } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import { isAllowed } from "./settings.ts";
import type { Explanation, ProgressPage, View } from "./shapes.ts";
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

export function Instance({ workflowName, id }: InstanceProps): JSX.Element {
  const path = instancePath(workflowName, id);
  const reader = useMemo(() => new HistoryReader(workflowName, id), [path]);
  const look = useMemo(() => createLook(path, reader), [path]);
  const shown = usePoll<Shown>(path, look, ({ history }) => history.isPartial);
  const question = useSignal<Question | "event" | null>(null);
  const refresh = (): void => {
    question.value = null;
    reader.reset();
    shown.refresh();
  };
  const now = shown.data.value;
  return (
    <>
      <p class="crumbs">
        <Link to={toHref("/instances", { workflow: workflowName })}>{workflowName}</Link>
      </p>
      <div class="title">
        <h1 class="id">{id}</h1>
        {now === null ? null : <Status of={now.view.details.status} />}
      </div>
      <Failure error={shown.error.value} />
      {now === null ? null : (
        <>
          <div class="buttons">
            <Actions status={now.view.details.status} onAsk={(asked) => (question.value = asked)} />
            {isAllowed("events") ? (
              <button type="button" onClick={() => (question.value = "event")}>
                Send event…
              </button>
            ) : null}
          </div>
          <Body
            shown={now}
            reader={reader}
            path={path}
            onAsk={(asked) => (question.value = asked)}
          />
          <Asked
            question={question.value}
            target={{ workflowName, id, runNumber: now.view.details.runNumber }}
            onClose={() => (question.value = null)}
            onDone={refresh}
          />
        </>
      )}
    </>
  );
}

interface AskedProps {
  readonly question: Question | "event" | null;
  readonly target: {
    readonly workflowName: string;
    readonly id: string;
    readonly runNumber: number;
  };
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Asked({ question, ...rest }: AskedProps): JSX.Element | null {
  if (question === null) return null;
  return question === "event" ? <SendEvent {...rest} /> : <Confirm question={question} {...rest} />;
}

/** One look at the instance. Where the server has no explanations, it is asked once. */
function createLook(path: string, reader: HistoryReader): (signal: AbortSignal) => Promise<Shown> {
  let hasExplanations = true;
  let before: View["details"] | null = null;
  const explain = async (signal: AbortSignal): Promise<Explanation | null> => {
    try {
      return hasExplanations ? await get<Explanation>(`${path}/explain`, {}, signal) : null;
    } catch (caught) {
      if (signal.aborted) throw caught;
      if (caught instanceof ApiError && caught.status >= 400) hasExplanations = false;
      return null;
    }
  };
  return async (signal) => {
    const view = await get<View>(path, {}, signal);
    const { details } = view;
    // What had ended goes on: steps that were settled may be so no more.
    if (
      before !== null &&
      (before.error !== undefined || before.status !== details.status) &&
      !isSame(before, details)
    )
      reader.reset();
    before = details;
    return { view, history: await reader.look(signal), explanation: await explain(signal) };
  };
}

const isSame = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

interface BodyProps {
  readonly shown: Shown;
  readonly reader: HistoryReader;
  readonly path: string;
  readonly onAsk: (question: Question) => void;
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
      </h2>
      {history.steps.length === 0 ? (
        <p class="quiet">It has not begun a step.</p>
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
        <p class="quiet">None was sent.</p>
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
