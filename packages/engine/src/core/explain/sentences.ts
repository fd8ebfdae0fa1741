/** The sentence for each cause: the state, and what to do next. Instants are given as distances from now. */
import type { DurationMs, EndRequest, EpochMs } from "../model/records.ts";
import type { Cause, ExplanationFrame, Reason } from "./explanation.ts";
import type { ErrorFacts, EventCount } from "./facts.ts";

type Of<C extends Cause> = Extract<Reason, { readonly cause: C }>;
type Sentences = { readonly [C in Cause]: (reason: Of<C>, now: EpochMs) => string };

/** @param frame the data that every cause has */
export function toSentence(reason: Reason, frame: Omit<ExplanationFrame, "sentence">): string {
  const tell = SENTENCES[reason.cause] as (reason: Reason, now: EpochMs) => string;
  return `${tell(reason, frame.now)}${tellFrame(reason, frame)}`;
}

const SENTENCES: Sentences = {
  complete: () => "It is complete: nothing is left to do. To run it again, restart it.",
  errored: ({ error }) =>
    `It has failed${because(error)}. Fix the cause, then retry it to continue with the step that failed, or restart it.`,
  terminated: () => "It was terminated and will not run any more. To run it again, restart it.",
  paused: () => "It is paused. Resume it to continue.",
  pauseRequested: ({ until }, now) =>
    `A pause is requested: the process that holds it pauses it at its next step boundary${lease(until, now)}. Wait, or resume it to cancel the pause.`,
  endRequested: ({ request, until }, now) =>
    until === undefined
      ? `It was asked to end (${END[request]}) and is due, but no runner has claimed it yet. Check that a loop runs or that ticks arrive.`
      : `It was asked to end (${END[request]}), and the process that holds it has yet to end it${lease(until, now)}. Wait, or terminate it to end it at once.`,
  startsLater: ({ until }, now) =>
    `It starts later, ${within(until, now)}. Wait; nothing needs fixing.`,
  runRetry: ({ until, retryCount, error }, now) =>
    `Its run failed as a whole (${counted(retryCount, "time")} in a row)${because(error)}; the next run begins ${within(until, now)}, as its workflow's runRetries say. Fix the cause, or wait.`,
  sleeping: ({ step, until }, now) =>
    `It sleeps at step ${quote(step)}${then("and wakes", until, now)}. Wait; nothing needs fixing.`,
  waitsForEvent: (reason, now) =>
    `It waits at step ${quote(reason.step)} for an event of type ${reason.types.map(quote).join(" or ")}, ${timeout(reason.until, now)}; ${tellBuffered(reason)}. Send it the event that it waits for.`,
  waitsForCallback: ({ step, until }, now) =>
    `It waits at step ${quote(step)} for its callback, ${timeout(until, now)}; nobody has called it. Check that whoever was given the URL calls it.`,
  waitsForTopic: ({ step, topic, until }, now) =>
    `It waits at step ${quote(step)} for a message of the topic ${quote(topic)}, ${timeout(until, now)}; none has arrived. Emit one.`,
  waitsForChild: ({ step, child }) =>
    child === null
      ? `It waits at step ${quote(step)} for a child that was deleted. Rewind it to the step, or cancel it.`
      : `It waits at step ${quote(step)} for its child ${quote(child.id)} of workflow ${quote(child.workflowName)}, which is ${child.status}. Ask why the child is not moving.`,
  retryingStep: ({ step, attempts, maxAttempts, error, until }, now) =>
    `Step ${quote(step)} failed at attempt ${attempts} of ${toMostText(maxAttempts)}${because(error)}${then("and is tried again", until, now)}. Fix the cause, or wait.`,
  due: ({ dueForMs }) =>
    `It has been due for ${inWords(dueForMs)}, and no runner has claimed it. Check that a loop runs or that ticks arrive, and that their processes have the workflow registered and room for it.`,
  unregistered: ({ dueForMs }) =>
    `It has been due for ${inWords(dueForMs)}, and its workflow is not registered in this process. Register it here, or check that a process that has it is running.`,
  held: ({ until, running }, now) =>
    `A process holds it${running.length === 0 ? "" : ` and runs ${running.map((step) => `step ${quote(step)}`).join(", ")}`}${lease(until, now)}. It is moving: wait for the step to end.`,
  leaseEnded: ({ since }, now) =>
    `The process that held it is gone: its lease ended ${inWords(now - since)} ago, and it is due to be taken over. Check that a loop runs or that ticks arrive.`,
  crashLoop: ({ lostLeases, until }, now) =>
    `It is in a crash loop: ${counted(lostLeases, "process", "processes")} in a row died while they held it, and none of them committed anything${until === undefined ? "; it is due to be tried again" : `; another one tries it${lease(until, now)}`}. Find what kills the process: memory, an exit, a native crash.`,
  diverged: ({ until }, now) =>
    `Its code has changed: it no longer calls the step that it waits at, and nothing else is open${until === undefined ? "" : `; it will be checked again ${within(until, now)}`}. Bring back the step, or rewind or restart it.`,
  scheduled: ({ until }, now) =>
    until === undefined
      ? "It has no open wait and no due time. Look at its history."
      : `It is due again ${within(until, now)}. Wait.`,
  noTask: () =>
    "It has not ended, but no runner can claim it because its task is missing: something else changed its rows. Restart it.",
};

const END: Readonly<Record<EndRequest, string>> = {
  cancel: "cancel",
  rollback: "terminate with rollback",
  terminate: "its parent has ended",
  deadline: "its deadline has passed",
};

function tellFrame(
  { cause }: Reason,
  { otherWaits, diverged, deadlineAt, now }: Omit<ExplanationFrame, "sentence">,
): string {
  const [step] = diverged;
  return [
    otherWaits > 0 ? ` (${counted(otherWaits, "other step waits", "other steps wait")} too.)` : "",
    step !== undefined && cause !== "diverged"
      ? ` (Its code has changed: step ${quote(step.stepKey)} is ${step.kind === "notCalled" ? "not called any more" : "called with another type of event"}.)`
      : "",
    deadlineAt !== null && deadlineAt > now ? ` (Its deadline is ${within(deadlineAt, now)}.)` : "",
  ].join("");
}

function tellBuffered({ types, buffered }: Of<"waitsForEvent">): string {
  const own = buffered.filter(({ type }) => types.includes(type));
  if (own.length > 0) return `${toCountsText(own)} arrived already, but it needs more`;
  return buffered.length === 0
    ? "no event is buffered"
    : `none has arrived; the buffered events are of other types: ${toCountsText(buffered)}`;
}

const toCountsText = (counts: readonly EventCount[]): string =>
  counts.map(({ type, count }) => `${count} of type ${quote(type)}`).join(", ");

const because = (error: ErrorFacts | null): string =>
  error === null ? "" : ` with ${error.name}: ${quote(error.message)}`;

/** An unlimited number of attempts is stored as this. */
const ENDLESS = 2_147_483_647;
const toMostText = (attempts: number): string =>
  attempts >= ENDLESS ? "any number" : String(attempts);

const lease = (until: EpochMs, now: EpochMs): string =>
  `, under a lease that ends ${within(until, now)} unless it is renewed`;

const timeout = (until: EpochMs | undefined, now: EpochMs): string =>
  until === undefined ? "without a timeout" : `which times out ${within(until, now)}`;

const then = (does: string, until: EpochMs | undefined, now: EpochMs): string =>
  until === undefined ? "" : `, ${does} ${within(until, now)}`;

/** @param at if it has passed, the text is that of now */
const within = (at: EpochMs, now: EpochMs): string =>
  at <= now ? "now" : `in ${inWords(at - now)}`;

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

const UNITS: readonly (readonly [name: string, ms: DurationMs])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** The two largest units of a duration, rounded down; below a second, milliseconds. */
export function inWords(lengthMs: DurationMs): string {
  const at = UNITS.findIndex(([, ms]) => lengthMs >= ms);
  if (at === -1) return `${Math.max(0, Math.floor(lengthMs))} ms`;
  let left = lengthMs;
  const words = UNITS.slice(at, at + 2).flatMap(([name, ms]) => {
    const count = Math.floor(left / ms);
    left -= count * ms;
    return count === 0 ? [] : [counted(count, name)];
  });
  return words.join(" ");
}

const MOST_QUOTED = 200;

/** In quotes, on one line, and cut to a readable length. */
const quote = (text: string): string =>
  JSON.stringify(text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text);
