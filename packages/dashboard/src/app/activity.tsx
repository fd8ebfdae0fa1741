/** Ends and lateness of instances over the last hour or day, what is due, and charts of them. */
import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type ApiError, get } from "./api.ts";
import { type Bar, Chart } from "./chart.tsx";
import { toDuration, toInstant, toTook } from "./format.ts";
import { Failure } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import type { Activity } from "./shapes.ts";
import { Table } from "./table.tsx";

type Bucket = Activity["buckets"][number];

const MINUTE_MS = 60_000;

/** Each has 30 buckets. */
const RANGES = {
  hour: { bucketMs: 2 * MINUTE_MS, buckets: 30 },
  day: { bucketMs: 48 * MINUTE_MS, buckets: 30 },
} as const;
type Range = keyof typeof RANGES;

export function ActivitySection(): JSX.Element {
  const range = useSignal<Range>("hour");
  const found = usePoll(
    `activity ${range.value}`,
    (signal) => get<Activity>("/activity", RANGES[range.value], signal),
    { isSame: isSameActivity, pace: "slow" },
  );
  const now = found.data.value;
  return (
    <section class="activity" aria-labelledby="activity">
      <div class="section-title">
        <h2 id="activity">Activity</h2>
        <RangeChoice range={range} />
      </div>
      <Failure error={isOfPage(found.error.value) ? null : found.error.value} />
      {now === null ? (
        <p class="quiet">{found.error.value === null ? "Looking…" : ""}</p>
      ) : (
        <Charts activity={now} range={range.value} />
      )}
    </section>
  );
}

/** The page itself shows these errors once. */
const isOfPage = (error: ApiError | null): boolean =>
  error !== null && (error.status === 0 || error.status === 401);

/** The time of the look does not count. */
const isSameActivity = (left: Activity, right: Activity): boolean =>
  JSON.stringify({ ...left, now: 0 }) === JSON.stringify({ ...right, now: 0 });

function RangeChoice({ range }: { readonly range: Signal<Range> }): JSX.Element {
  return (
    <div class="choice" role="group" aria-label="How far back">
      {(Object.keys(RANGES) as Range[]).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={range.value === name}
          onClick={() => (range.value = name)}
        >
          Last {name}
        </button>
      ))}
    </div>
  );
}

interface ChartsProps {
  readonly activity: Activity;
  readonly range: Range;
}

function Charts({ activity, range }: ChartsProps): JSX.Element {
  const { buckets, lookedFrom } = activity;
  const knownFrom = lookedFrom ?? 0;
  const times = buckets.map(({ at }) => toTime(at, range));
  const unknown = buckets.filter(({ at }) => at < knownFrom).length;
  const errored = sumOf(buckets, "errored");
  return (
    <>
      <p class="hour">
        In the last {range} <strong>{number(sumOf(buckets, "complete"))}</strong> completed and{" "}
        <strong class={errored === 0 ? "" : "bad"}>{number(errored)}</strong> failed.{" "}
        <Due due={activity.due} now={activity.now} />
      </p>
      <div class="charts">
        <Throughput activity={activity} times={times} unknown={unknown} />
        <WaitToStart activity={activity} times={times} unknown={unknown} />
        <Lateness activity={activity} times={times} unknown={unknown} />
      </div>
      {unknown === 0 ? null : (
        <p class="note">
          Of the newest instances, as many as one look reads: what was created before{" "}
          {toInstant(knownFrom)} is not counted.
        </p>
      )}
      <AsTable activity={activity} />
    </>
  );
}

interface ChartOfActivity {
  readonly activity: Activity;
  readonly times: readonly string[];
  readonly unknown: number;
}

type Kind = "created" | "complete" | "errored" | "terminated";

const sumOf = (buckets: readonly Bucket[], kind: Kind): number =>
  buckets.reduce((total, bucket) => total + bucket[kind], 0);

function Throughput({ activity, ...over }: ChartOfActivity): JSX.Element {
  const { buckets, bucketMs } = activity;
  const value = (kind: Kind): string => number(sumOf(buckets, kind));
  return (
    <Chart
      {...over}
      title="Throughput"
      unit={`instances each ${toDuration(bucketMs)}`}
      legend={[
        { tone: "complete", name: "completed", value: value("complete") },
        { tone: "errored", name: "failed", value: value("errored") },
        { tone: "terminated", name: "terminated", value: value("terminated") },
        { tone: "line", name: "created", value: value("created") },
      ]}
      bars={buckets.map(toEnds)}
      line={buckets.map(({ created }) => created)}
      toLabel={number}
    />
  );
}

const WaitToStart = ({ activity: { buckets }, ...over }: ChartOfActivity): JSX.Element => (
  <Spreads
    {...over}
    title="Wait to start"
    unit="from creation to the first claim"
    spreads={buckets.map(({ waitMs, started }) => ({ of: waitMs, count: started }))}
    verb="started"
  />
);

/** From a sample: see the engine's `measureActivity`. */
const Lateness = ({ activity: { buckets }, ...over }: ChartOfActivity): JSX.Element => (
  <Spreads
    {...over}
    title="Lateness"
    unit="of sleeps and events, sampled"
    spreads={buckets.map(({ latenessMs, waitsEnded }) => ({ of: latenessMs, count: waitsEnded }))}
    verb="waits ended"
  />
);

interface SpreadsProps extends Omit<ChartOfActivity, "activity"> {
  readonly title: string;
  readonly unit: string;
  readonly spreads: readonly { readonly of: Bucket["waitMs"]; readonly count: number }[];
  /** What the counted instances have done. */
  readonly verb: string;
}

function Spreads({ spreads, verb, ...over }: SpreadsProps): JSX.Element {
  const all = spreads.flatMap(({ of }) => (of === null ? [] : [of.longest]));
  const longest = all.length === 0 ? "–" : toDuration(Math.max(...all));
  return (
    <Chart
      {...over}
      legend={[
        { tone: "median", name: "half", value: "" },
        { tone: "p95", name: "95 of 100", value: "" },
        { tone: "none", name: "longest", value: longest },
      ]}
      bars={spreads.map(({ of, count }) => toSpreadBar(of, `${number(count)} ${verb}`))}
      toLabel={toDuration}
    />
  );
}

const number = (value: number): string => value.toLocaleString("en");

const toTime = (at: number, range: Range): string =>
  new Date(at).toLocaleTimeString(undefined, {
    hour: "2-digit",
    minute: "2-digit",
    ...(range === "day" && { weekday: "short" }),
  });

const toEnds = ({ complete, errored, terminated, created }: Bucket): Bar => ({
  parts: [
    { tone: "complete", value: complete },
    { tone: "errored", value: errored },
    { tone: "terminated", value: terminated },
  ],
  says: `${complete} completed, ${errored} failed, ${terminated} terminated, ${created} created`,
});

const toSpreadBar = (spread: Bucket["waitMs"], counted: string): Bar =>
  spread === null
    ? { parts: [], says: counted }
    : {
        parts: [
          { tone: "median", value: spread.median },
          { tone: "p95", value: spread.p95 - spread.median },
        ],
        says: `${counted}: half within ${toDuration(spread.median)}, 95 of 100 within ${toDuration(spread.p95)}`,
      };

function Due({ due, now }: Pick<Activity, "due" | "now">): JSX.Element {
  if (due.length === 0) return <>Nothing waits for a runner.</>;
  const count = due.reduce((total, one) => total + one.count, 0);
  const more = due.some(({ isCapped }) => isCapped) ? "+" : "";
  const waited = toDuration(now - Math.min(...due.map(({ oldestAt }) => oldestAt)));
  return (
    <>
      <strong>
        {number(count)}
        {more}
      </strong>{" "}
      {count === 1 ? "waits" : "wait"} for a runner, the oldest for {waited}.
    </>
  );
}

/** The same numbers as a table, created when it is opened. */
function AsTable({ activity }: { readonly activity: Activity }): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <details class="as-text" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen.value ? <ActivityTable activity={activity} /> : null}
    </details>
  );
}

const ACTIVITY_NUMBERS = [
  "Created",
  "Completed",
  "Failed",
  "Terminated",
  "Started",
  "Wait, half",
  "95 of 100",
  "Lateness, half",
  "95 of 100 of them",
].map((name) => [name, "number"] as const);

function ActivityTable({ activity }: { readonly activity: Activity }): JSX.Element {
  const shown = activity.buckets.toReversed();
  return (
    <Table label="Activity over time" columns={["From", ...ACTIVITY_NUMBERS]}>
      {shown.map(({ at, created, complete, errored, terminated, started, ...spreads }) => (
        <tr key={at}>
          <th scope="row">{toInstant(at)}</th>
          {[created, complete, errored, terminated, started].map((value, index) => (
            <td key={index} class="number">
              {value === 0 ? <span class="quiet">0</span> : number(value)}
            </td>
          ))}
          {[spreads.waitMs, spreads.latenessMs].flatMap((spread, index) =>
            (["median", "p95"] as const).map((rank) => (
              <td key={`${index} ${rank}`} class="number">
                {toTook(spread?.[rank] ?? null)}
              </td>
            )),
          )}
        </tr>
      ))}
    </Table>
  );
}
