/** One instance: its state, its steps and waits, its events, and its commands. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Actions, Confirm, type Question, type Target, toRetryFrom, toRewind } from "./actions.tsx";
import { get, instancePath } from "./api.ts";
import { Fork, SendEvent } from "./forms.tsx";
import { HistoryReader, type HistoryShown } from "./history.ts";
import { toHistoryText } from "./history-text.ts";
import { Events } from "./instance-events.tsx";
import { InstanceFacts } from "./instance-facts.tsx";
import { CurrentSteps } from "./current-steps.tsx";
import { createLook, isSameShown, type Shown } from "./instance-look.ts";
import { goTo, Link, place, replaceQuery, toHref, toInstance } from "./location.tsx";
import { Copy, Failure, Reveal, Status } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import { ProgressTail } from "./progress-tail.tsx";
import { isAllowed } from "./settings.ts";
import { type Description, isEnded, isSettled, type View } from "./shapes.ts";
import { Standing } from "./standing.tsx";
import { StepDetails } from "./step-details.tsx";
import { Steps } from "./steps.tsx";

interface InstanceProps {
  readonly workflowName: string;
  readonly id: string;
}

/** The open dialog. */
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
        <Copy what="id" text={() => id} />
      </div>
      <Failure error={shown.error.value} />
      {now === null ? (
        <p class="quiet">{shown.error.value === null ? "Looking…" : ""}</p>
      ) : (
        <>
          <Toolbar workflowName={workflowName} id={id} view={now.view} onAsk={ask} />
          <Body shown={now} workflowName={workflowName} reader={reader} path={path} onAsk={ask} />
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

/** The run on the page; undefined: the current one. */
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
  readonly target: Target;
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

/** Created when it is opened. */
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

interface BodyProps {
  readonly shown: Shown;
  readonly workflowName: string;
  readonly reader: HistoryReader;
  readonly path: string;
  readonly onAsk: (asked: Asked) => void;
}

/** The selected step is in the address, so that a link to it can be shared. */
const select = (stepKey: string | null): void => replaceQuery("step", stepKey);

function Body({ shown, workflowName, reader, path, onAsk }: BodyProps): JSX.Element {
  const { view, history, description } = shown;
  const selected = place.value.query.get("step");
  const step = history.steps.find(({ stepKey }) => stepKey === selected);
  const hasFailed = view.details.status === "errored";
  return (
    <>
      <Standing shown={shown} workflowName={workflowName} onSelect={select} />
      <InstanceFacts details={view.details} history={history} description={description} />
      {description === null ? null : <CurrentSteps description={description} />}
      <Payloads shown={shown} path={path} />
      <h2>
        Steps{" "}
        <span class="quiet">
          {history.steps.length.toLocaleString("en")}
          {history.isPartial ? "+" : ""}
        </span>
        <RunLinks present={view.details.runNumber} shown={history.runNumber} />
      </h2>
      <Steps
        steps={history.steps}
        selected={selected}
        onSelect={(key) => select(key === selected ? null : key)}
      />
      {step === undefined ? null : (
        <StepDetails
          key={step.stepKey}
          step={step}
          reveal={() => reader.reveal(step.stepKey)}
          onRewind={() => onAsk(toRewind(step.stepKey))}
          onRetry={hasFailed ? () => onAsk(toRetryFrom(step.stepKey)) : null}
          onFork={() => onAsk({ forkAt: step.stepKey })}
          onClose={() => select(null)}
        />
      )}
      <Events history={history} reader={reader} />
      {isAllowed("payloads") ? <ProgressTail path={path} /> : null}
    </>
  );
}

/** Params and output, if they are allowed. */
function Payloads({ shown, path }: Pick<BodyProps, "shown" | "path">): JSX.Element | null {
  if (!isAllowed("payloads")) return null;
  return (
    <div class="payloads">
      {shown.description === null ? null : <Reveal what="params" load={() => readParams(path)} />}
      {shown.view.details.status === "complete" ? (
        <Reveal
          what="output"
          load={async () => (await get<View>(path, { reveal: 1 })).details.output ?? null}
        />
      ) : null}
    </div>
  );
}

/** The params of the instance; null: none. */
const readParams = async (path: string): Promise<unknown> =>
  (await get<Description>(`${path}/describe`, { reveal: 1 })).params ?? null;

/** The last runs of an instance with several runs. */
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
