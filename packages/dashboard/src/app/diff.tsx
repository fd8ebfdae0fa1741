/** Two runs side by side: where they begin to differ, and the differences at each place. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { ApiError, get, instancePath } from "./api.ts";
import { type DiffRow, diffRuns, findParting } from "./diff-runs.ts";
import { DiffTable, isOther, type Results, toPhrase } from "./diff-table.tsx";
import { toDuration, toJson } from "./format.ts";
import { HistoryReader, type HistoryShown } from "./history.ts";
import { goTo, InstanceLink, Link, place, toHref } from "./location.tsx";
import { ErrorBox, Failure, Status } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import { isAllowed } from "./settings.ts";
import type { Description, Found, View } from "./shapes.ts";

interface Side {
  readonly id: string;
  /** The number of the instance's run; null: the current one. */
  readonly run: number | null;
}

interface ShownSide extends Side {
  readonly details: View["details"];
  readonly history: HistoryShown;
  readonly reader: HistoryReader;
}

/** The most places that are compared. */
const MOST_STEPS = 2000;

export function Diff({ workflowName }: { readonly workflowName: string }): JSX.Element {
  const { query } = place.value;
  const sides = (["left", "right"] as const).map((name): Side => {
    const run = Number(query.get(`${name}Run`) || Number.NaN);
    return { id: query.get(name) ?? "", run: Number.isInteger(run) && run > 0 ? run : null };
  });
  const [left, given] = sides;
  const good = useGood(workflowName, left?.id ?? "");
  // If only one run is chosen, it is compared with one that completed.
  const right = given?.id || !left?.id || good === null ? given : { id: good, run: null };
  const isChosen = Boolean(left?.id && right?.id);
  return (
    <>
      <p class="crumbs">
        <Link to={`/workflows/${encodeURIComponent(workflowName)}`}>{workflowName}</Link>
      </p>
      <h1>Compare two runs</h1>
      {left === undefined || right === undefined ? null : (
        <Chooser
          key={`${query} ${right.id}`}
          workflowName={workflowName}
          left={left}
          right={right}
          good={good}
        />
      )}
      {isChosen && left !== undefined && right !== undefined ? (
        <Compared
          key={`${query} ${right.id}`}
          workflowName={workflowName}
          left={left}
          right={right}
        />
      ) : null}
    </>
  );
}

/** The newest completed instance other than this one; null: none, or not loaded yet. */
function useGood(workflowName: string, otherThan: string): string | null {
  const found = usePoll(
    `good ${workflowName}`,
    (signal) =>
      get<Found>(
        "/instances",
        { workflows: workflowName, status: "complete", pageSize: 2 },
        signal,
      ),
    // The other run must not change while somebody compares.
    { pace: "slow", isSame: ({ instances }) => instances.length > 0 },
  );
  return found.data.value?.instances.find(({ id }) => id !== otherThan)?.id ?? null;
}

interface SidesProps {
  readonly workflowName: string;
  readonly left: Side;
  readonly right: Side;
}

interface ChooserProps extends SidesProps {
  /** The newest completed instance; null: none. */
  readonly good: string | null;
}

function Chooser({ workflowName, left, right, good }: ChooserProps): JSX.Element {
  const path = `/diff/${encodeURIComponent(workflowName)}`;
  const choose = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const names = ["left", "leftRun", "right", "rightRun"];
    const texts = names.map((name) => {
      const value = given.get(name);
      return [name, typeof value === "string" ? value.trim() : ""] as const;
    });
    goTo(toHref(path, Object.fromEntries(texts)));
  };
  return (
    <form class="filters" onSubmit={choose} aria-label="Runs">
      <Input name="left" label="Instance" value={left.id} />
      <Input name="leftRun" label="Its run" value={String(left.run ?? "")} />
      <Input name="right" label="And instance" value={right.id} />
      <Input name="rightRun" label="Its run" value={String(right.run ?? "")} />
      <div class="buttons">
        <button type="submit" class="primary">
          Compare
        </button>
      </div>
      {good === null || left.id === "" || good === left.id ? null : (
        <p class="whole">
          {good === right.id ? (
            <span class="quiet">With the newest that completed.</span>
          ) : (
            <Link
              to={toHref(path, { left: left.id, leftRun: String(left.run ?? ""), right: good })}
            >
              With the newest that completed, {good}
            </Link>
          )}
        </p>
      )}
    </form>
  );
}

interface InputProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

const Input = ({ name, label, value }: InputProps): JSX.Element => (
  <label>
    {label}
    <input name={name} defaultValue={value} autocomplete="off" />
  </label>
);

async function readSide(workflowName: string, side: Side, signal: AbortSignal): Promise<ShownSide> {
  const { details } = await get<View>(instancePath(workflowName, side.id), {}, signal);
  const reader = new HistoryReader(workflowName, side.id, side.run ?? undefined);
  let history = await reader.look(signal);
  while (history.isPartial && history.steps.length < MOST_STEPS)
    history = await reader.look(signal);
  return { ...side, details, history, reader };
}

function Compared({ workflowName, left, right }: SidesProps): JSX.Element {
  const both = usePoll(
    JSON.stringify([workflowName, left, right]),
    async (signal) => ({
      left: await readSide(workflowName, left, signal),
      right: await readSide(workflowName, right, signal),
    }),
    { pace: "slow" },
  );
  const now = both.data.value;
  return (
    <>
      <Failure error={both.error.value} />
      {now === null ? (
        <p class="quiet">{both.error.value === null ? "Reading both…" : ""}</p>
      ) : (
        <Result workflowName={workflowName} left={now.left} right={now.right} />
      )}
    </>
  );
}

interface ResultProps {
  readonly workflowName: string;
  readonly left: ShownSide;
  readonly right: ShownSide;
}

/** The payloads of each side. */
interface Payloads {
  readonly results: Results;
  readonly params: readonly unknown[];
}

function Result({ workflowName, left, right }: ResultProps): JSX.Element {
  const rows = useMemo(
    () => diffRuns(left.history.steps, right.history.steps),
    [left.history, right.history],
  );
  const isAll = useSignal(false);
  const payloads = useSignal<Payloads | null>(null);
  const results = payloads.value?.results ?? null;
  const error = useSignal<ApiError | null>(null);
  const differs = (row: DiffRow): boolean =>
    row.differences.length > 0 || isOther(results, row.stepKey);
  const shown = (isAll.value ? rows : rows.filter(differs)).slice(0, MOST_STEPS);
  const reveal = async (): Promise<void> => {
    try {
      payloads.value = await readPayloads(workflowName, [left, right]);
    } catch (caught) {
      error.value = caught instanceof ApiError ? caught : new ApiError(0, "OFFLINE", "No answer.");
    }
  };
  return (
    <>
      <p class="note">{toSentence(rows, left.history.isPartial || right.history.isPartial)}</p>
      <div class="sides">
        <SideCard workflowName={workflowName} side={left} params={payloads.value?.params[0]} />
        <SideCard workflowName={workflowName} side={right} params={payloads.value?.params[1]} />
      </div>
      <div class="buttons">
        <label class="check">
          <input
            type="checkbox"
            checked={isAll.value}
            onChange={({ currentTarget }) => (isAll.value = currentTarget.checked)}
          />
          also what is the same
        </label>
        {isAllowed("payloads") && results === null ? (
          <button type="button" onClick={() => void reveal()}>
            Compare params and results too
          </button>
        ) : null}
      </div>
      <Failure error={error.value} />
      {shown.length === 0 ? (
        <p class="empty">They did the same.</p>
      ) : (
        <DiffTable rows={shown} results={results} />
      )}
    </>
  );
}

async function readPayloads(workflowName: string, sides: readonly ShownSide[]): Promise<Payloads> {
  const results = await Promise.all(sides.map(({ reader }) => reader.revealAll(MOST_STEPS)));
  const params = sides.map(async ({ id }) => {
    const path = `${instancePath(workflowName, id)}/describe`;
    return (await get<Description>(path, { reveal: 1 })).params ?? null;
  });
  return { results, params: await Promise.all(params) };
}

function toSentence(rows: readonly DiffRow[], isPartial: boolean): string {
  const parting = findParting(rows);
  const counted = `${rows.length.toLocaleString("en")} places`;
  if (parting === null)
    return isPartial
      ? `They are the same in the first ${counted}.`
      : `They took the same ${counted}.`;
  return `They diverge at ${parting.stepKey}: ${parting.differences.map(toPhrase).join(", ")}.`;
}

function SideCard({
  workflowName,
  side,
  params,
}: {
  readonly workflowName: string;
  readonly side: ShownSide;
  /** undefined: not requested. */
  readonly params: unknown;
}): JSX.Element {
  const { id, details, history } = side;
  const { steps } = history;
  const begunAt = steps[0]?.createdAt ?? 0;
  const endedAt = steps.reduce((last, { updatedAt }) => Math.max(last, updatedAt), begunAt);
  const isPresent = history.runNumber === details.runNumber;
  return (
    <section class="card" aria-label={id}>
      <p class="side-title">
        <InstanceLink workflowName={workflowName} id={id} />
        {isPresent ? <Status of={details.status} /> : null}
      </p>
      <p class="quiet">
        Run {history.runNumber} · {steps.length.toLocaleString("en")} steps ·{" "}
        {toDuration(endedAt - begunAt)}
      </p>
      {isPresent && params !== undefined ? <pre tabIndex={0}>params: {toJson(params)}</pre> : null}
      {isPresent && details.error !== undefined ? <ErrorBox error={details.error} /> : null}
    </section>
  );
}
