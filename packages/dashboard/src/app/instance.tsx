/** One instance: its state, its steps and waits, its events, and its commands. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { Actions, toRetryFrom, toRewind } from "./actions.tsx";
import { get, instancePath } from "./api.ts";
import { EarlierRun, isPresent, RunLinks } from "./earlier-run.tsx";
import { HistoryReader } from "./history.ts";
import { toHistoryText } from "./history-text.ts";
import { Events } from "./instance-events.tsx";
import { InstanceFacts } from "./instance-facts.tsx";
import { CurrentSteps } from "./current-steps.tsx";
import { type Asked, AskedDialog, type Choice, toAsked } from "./instance-dialogs.tsx";
import { createLook, isSameShown, type Shown } from "./instance-look.ts";
import { goTo, Link, place, replaceQuery, toHref } from "./location.tsx";
import { Copy, Failure, Reveal, Status } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import { ProgressTail } from "./progress-tail.tsx";
import { isAllowed } from "./settings.ts";
import { type Description, isEnded, type View } from "./shapes.ts";
import { Standing } from "./standing.tsx";
import { type StepCommands, StepDetails } from "./step-details.tsx";
import { Steps } from "./steps.tsx";

interface InstanceProps {
  readonly workflowName: string;
  readonly id: string;
}

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
  const now = shown.data.value;
  const question = useSignal<Asked | null>(null);
  const close = (): void => void (question.value = null);
  useEffect(close, [key]);
  const ask = (choice: Choice): void => {
    if (now !== null && isPresent(now)) question.value = toAsked(choice, { workflowName, id }, now);
  };
  const refresh = (): void => {
    const choice = question.value?.choice;
    close();
    if (typeof choice === "object" && "verb" in choice && choice.verb === "delete")
      goTo(toHref("/instances", { workflow: workflowName }));
    reader.reset();
    shown.refresh();
  };
  return (
    <>
      <p class="crumbs">
        <Link to={`/workflows/${encodeURIComponent(workflowName)}`}>{workflowName}</Link>
      </p>
      <div class="title">
        <h1 class="id">{id}</h1>
        {now === null || !isPresent(now) ? null : <Status of={now.view.details.status} />}
        <Copy what="id" text={() => id} />
      </div>
      <Failure error={shown.error.value} />
      {now === null ? (
        <p class="quiet">{shown.error.value === null ? "Looking…" : ""}</p>
      ) : (
        <>
          <Toolbar workflowName={workflowName} id={id} shown={now} onAsk={ask} />
          <Body shown={now} workflowName={workflowName} reader={reader} path={path} onAsk={ask} />
          <HistoryText title={`${workflowName} ${id}`} shown={now} />
          <AskedDialog asked={question.value} onClose={close} onDone={refresh} />
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

interface ToolbarProps extends InstanceProps {
  readonly shown: Shown;
  readonly onAsk: (choice: Choice) => void;
}

function Toolbar({ workflowName, id, shown, onAsk }: ToolbarProps): JSX.Element {
  const { status } = shown.view.details;
  const { runNumber } = shown.history;
  const isNow = isPresent(shown);
  const compared = { left: id, leftRun: isNow ? undefined : String(runNumber) };
  return (
    <div class="buttons">
      {isNow ? <Actions status={status} onAsk={onAsk} /> : null}
      {isNow && isAllowed("events") && !isEnded(status) ? (
        <button type="button" onClick={() => onAsk("event")}>
          Send event…
        </button>
      ) : null}
      <Link to={toHref(`/diff/${encodeURIComponent(workflowName)}`, compared)} class="button">
        Compare
      </Link>
    </div>
  );
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
  readonly onAsk: (choice: Choice) => void;
}

/** The selected step is in the address, so that a link to it can be shared. */
const select = (stepKey: string | null): void => replaceQuery("step", stepKey);

function Body({ shown, workflowName, reader, path, onAsk }: BodyProps): JSX.Element {
  const { view, history } = shown;
  const selected = place.value.query.get("step");
  const step = history.steps.find(({ stepKey }) => stepKey === selected);
  const isNow = isPresent(shown);
  // State, times, params and output are of the present run.
  const description = isNow ? shown.description : null;
  return (
    <>
      {isNow ? (
        <Standing shown={shown} workflowName={workflowName} onSelect={select} />
      ) : (
        <EarlierRun shown={shown} />
      )}
      <InstanceFacts details={view.details} history={history} description={description} />
      {description === null ? null : <CurrentSteps description={description} />}
      {isNow ? <Payloads shown={shown} path={path} /> : null}
      <h2>
        Steps{" "}
        <span class="quiet">
          {history.steps.length.toLocaleString("en")}
          {history.isPartial ? "+" : ""}
        </span>
        <RunLinks shown={shown} />
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
          commands={isNow ? toCommands(step.stepKey, view.details.status, onAsk) : null}
          onClose={() => select(null)}
        />
      )}
      <Events history={history} reader={reader} />
      {isAllowed("payloads") ? <ProgressTail path={path} /> : null}
    </>
  );
}

const toCommands = (
  stepKey: string,
  status: string,
  onAsk: (choice: Choice) => void,
): StepCommands => ({
  onRewind: () => onAsk(toRewind(stepKey)),
  onRetry: status === "errored" ? () => onAsk(toRetryFrom(stepKey)) : null,
  onFork: () => onAsk({ forkAt: stepKey }),
});

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
