/** Steps as lines on a time axis. If there are thousands, only the visible ones are in the document. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { toDuration } from "./format.ts";
import { type Line, toLabel, toLines } from "./place-tree.ts";
import { begunAfterQueue, isSettled, isWait, spanOf, type StepShown, tookMs } from "./shapes.ts";

const LINE_PX = 34;
/** How many lines beyond the visible ones are kept on each side. */
const SPARE = 8;

export interface WaterfallProps {
  readonly steps: readonly StepShown[];
  readonly selected: string | null;
  readonly onSelect: (stepKey: string) => void;
}

export function Waterfall({ steps, selected, onSelect }: WaterfallProps): JSX.Element {
  const folded = useSignal<ReadonlySet<string>>(new Set());
  const top = useSignal(0);
  const height = useSignal(600);
  const box = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => toLines(steps, folded.value), [steps, folded.value]);
  const axis = useMemo(() => toAxis(steps), [steps]);
  useLayoutEffect(() => {
    if (box.current !== null) height.value = box.current.clientHeight;
  });
  const first = Math.max(0, Math.floor(top.value / LINE_PX) - SPARE);
  const last = Math.min(lines.length, Math.ceil((top.value + height.value) / LINE_PX) + SPARE);
  const fold = (key: string): void => {
    const next = new Set(folded.value);
    if (!next.delete(key)) next.add(key);
    folded.value = next;
  };
  return (
    <div class="waterfall">
      <div class="axis" aria-hidden="true">
        <span>0</span>
        <span>{toDuration((axis.to - axis.from) / 2)}</span>
        <span>{toDuration(axis.to - axis.from)}</span>
      </div>
      <div
        class="lines"
        ref={box}
        onScroll={({ currentTarget }) => (top.value = currentTarget.scrollTop)}
        onKeyDown={(event) => moveFocus(event, lines.length)}
      >
        <ul aria-label="Steps" style={{ height: `${lines.length * LINE_PX}px` }}>
          {lines.slice(first, last).map((line, index) => (
            <StepLine
              key={line.step.stepKey}
              line={line}
              place={{ at: first + index, of: lines.length }}
              axis={axis}
              state={{
                isSelected: line.step.stepKey === selected,
                isFolded: folded.value.has(line.step.stepKey),
              }}
              onSelect={onSelect}
              onFold={fold}
            />
          ))}
        </ul>
      </div>
    </div>
  );
}

interface Axis {
  readonly from: number;
  readonly to: number;
}

/** From the first step's start to the last one's end, or to now while a step is open. The clocks of page and database may differ. */
function toAxis(steps: readonly StepShown[]): Axis {
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  let isOpen = false;
  for (const step of steps) {
    from = Math.min(from, spanOf(step).from);
    to = Math.max(to, step.updatedAt);
    isOpen ||= !isSettled(step);
  }
  if (isOpen) to = Math.max(to, Date.now());
  return Number.isFinite(from) ? { from, to: Math.max(to, from + 1) } : { from: 0, to: 1 };
}

interface StepLineProps {
  readonly line: Line;
  /** Its position among all lines, from 0. */
  readonly place: { readonly at: number; readonly of: number };
  readonly axis: Axis;
  readonly state: { readonly isSelected: boolean; readonly isFolded: boolean };
  readonly onSelect: (stepKey: string) => void;
  readonly onFold: (stepKey: string) => void;
}

function StepLine({ line, place, axis, state, onSelect, onFold }: StepLineProps): JSX.Element {
  const { step, depth, inside, span } = line;
  const indentPx = 4 + Math.min(depth, 8) * 14;
  const isKnown = inside > 0 || tookMs(step) !== null;
  const length = isKnown ? toDuration(endOf(line, axis) - span.from) : "";
  const label = toLabel(line);
  const begunAt = begunAfterQueue(step);
  const queued = begunAt === null ? null : begunAt - step.createdAt;
  return (
    <li
      class={`line${state.isSelected ? " is-selected" : ""}`}
      aria-setsize={place.of}
      aria-posinset={place.at + 1}
      style={{ transform: `translateY(${place.at * LINE_PX}px)` }}
    >
      {inside === 0 ? null : (
        <button
          type="button"
          class="fold"
          style={{ left: `${indentPx}px` }}
          aria-expanded={!state.isFolded}
          aria-label={`${state.isFolded ? "Unfold" : "Fold"} ${label}`}
          onClick={() => onFold(step.stepKey)}
        >
          {state.isFolded ? "▸" : "▾"}
        </button>
      )}
      <button
        type="button"
        class="step"
        data-line={place.at}
        aria-pressed={state.isSelected}
        onClick={() => onSelect(step.stepKey)}
      >
        <span class="name" style={{ paddingLeft: `${indentPx + 26}px` }}>
          <span class={`dot is-${step.status}`} aria-hidden="true" />
          <span class="label" title={step.stepKey}>
            {label}
            {line.branch === null ? null : <span class="quiet"> · {line.branch}</span>}
          </span>
          <span class="spoken">
            {step.type}, {step.status}
            {step.attempts > 1 ? `, ${step.attempts} attempts` : ""}
            {length === "" ? "" : `, ${length}`}
            {queued === null ? "" : `, ${toDuration(queued)} of it in the queue`}
          </span>
          {step.attempts > 1 ? (
            <span class="attempts" aria-hidden="true">
              ×{step.attempts}
            </span>
          ) : null}
          <span class="kind" aria-hidden="true">
            {step.type}
          </span>
        </span>
        <Track line={line} axis={axis} length={length} />
      </button>
    </li>
  );
}

/** The end of a line's bar; an open step's bar continues to the end of the axis. */
const endOf = ({ step, span }: Line, axis: Axis): number => (isSettled(step) ? span.to : axis.to);

interface TrackProps {
  readonly line: Line;
  readonly axis: Axis;
  readonly length: string;
}

function Track({ line, axis, length }: TrackProps): JSX.Element {
  const { step, span } = line;
  const share = (at: number): number => ((at - axis.from) / (axis.to - axis.from)) * 100;
  const queuedUntil = begunAfterQueue(step);
  const left = Math.min(share(span.from), 99.5);
  const begun = queuedUntil === null ? left : Math.min(share(queuedUntil), 99.5);
  const right = share(endOf(line, axis));
  // After the bar, before it, or on it if there is no room.
  const isOver = right > 70 && left < 30;
  const lengthPlace = isOver
    ? { right: "4px" }
    : right > 70
      ? { right: `${100 - left}%` }
      : { left: `${right}%` };
  const isWaiting = isWait(step) || step.nextRetryAt !== null;
  return (
    <span class="track" aria-hidden="true">
      {begun > left ? (
        <span class="bar is-in-queue" style={{ left: `${left}%`, width: `${begun - left}%` }} />
      ) : null}
      <span
        class={`bar is-${step.status}${isWaiting ? " is-wait" : ""}`}
        style={{ left: `${begun}%`, width: `${Math.max(right - begun, 0.4)}%` }}
      />
      {(step.failedAttempts ?? []).map(({ attempt, startedAt, endedAt }) =>
        startedAt === null ? null : (
          <span
            key={attempt}
            class="bar is-errored"
            style={{
              left: `${share(startedAt)}%`,
              width: `${Math.max(share(endedAt ?? startedAt) - share(startedAt), 0.4)}%`,
            }}
          />
        ),
      )}
      <span class={`length${isOver ? " is-over" : ""}`} style={lengthPlace}>
        {length}
      </span>
    </span>
  );
}

/** Arrow keys, Home and End move from line to line, including lines that are not visible. */
function moveFocus(
  event: KeyboardEvent & { readonly currentTarget: HTMLElement },
  count: number,
): void {
  const box = event.currentTarget;
  const focused = document.activeElement?.closest("li")?.querySelector<HTMLElement>("[data-line]");
  const at = Number(focused?.dataset["line"] ?? Number.NaN);
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: count - 1,
  };
  const next = Math.min(Math.max(moves[event.key] ?? Number.NaN, 0), count - 1);
  if (Number.isNaN(next)) return;
  event.preventDefault();
  const inView = next * LINE_PX;
  if (inView < box.scrollTop) box.scrollTop = inView;
  if (inView + LINE_PX > box.scrollTop + box.clientHeight)
    box.scrollTop = inView + LINE_PX - box.clientHeight;
  // The line is only drawn after it is scrolled into view.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => box.querySelector<HTMLElement>(`[data-line="${next}"]`)?.focus()),
  );
}
