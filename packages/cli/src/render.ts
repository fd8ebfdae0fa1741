/** Instances, steps and events, for people. */
import type { Described, Emitted, Found, History, Instance, Status, Step } from "./client.ts";
import { toPlainJson, toPlainText } from "./plain-text.ts";
import { type Column, toTable } from "./table.ts";
import { toTime } from "./to-time.ts";

type ErrorRecord = NonNullable<Status["error"]>;
type Event = History["events"][number];

const kept = (title: string): Column => ({ title, mayBeCut: false });
const cut = (title: string): Column => ({ title, mayBeCut: true });

const FOUND = [
  kept("WORKFLOW"),
  kept("ID"),
  kept("STATUS"),
  kept("RUN"),
  kept("CREATED"),
  cut("TAGS"),
  cut("ERROR"),
];
const STEPS = [
  kept("STEP"),
  kept("TYPE"),
  kept("STATUS"),
  kept("ATTEMPTS"),
  kept("SINCE"),
  cut("RESULT OR ERROR"),
];
const ATTEMPTS = [
  kept("STEP"),
  kept("ATTEMPT"),
  kept("BEGAN"),
  kept("TOOK"),
  cut("RUNNER"),
  cut("ERROR"),
];
const WAITS = [kept("STEP"), cut("WAITS FOR"), kept("UNTIL")];
const EVENTS = [cut("EVENT"), cut("ID"), kept("SENT"), cut("TAKEN BY"), cut("PAYLOAD")];

/** A page of a list. */
export function renderFound({ instances }: Found, width: number | null): string {
  if (instances.length === 0) return "No instance found.\n";
  const rows = instances.map(({ workflowName, id, details, createdAt }) => [
    workflowName,
    id,
    details.status,
    String(details.runNumber),
    toTime(createdAt),
    (details.tags ?? []).join(", "),
    details.error === undefined ? "" : toErrorText(details.error),
  ]);
  return toTable(FOUND, rows, width);
}

/** One line: the instance and its state. */
export function renderState(workflowName: string, { id, details }: Instance): string {
  const { status, runNumber, endRequested } = details;
  const asked = endRequested === undefined ? "" : `, asked to end by ${endRequested}`;
  return `${toPlainText(`${workflowName} ${id}: ${status}, run ${runNumber}${asked}`)}\n`;
}

/** Everything about one run. @param width characters per line; null: unlimited */
export function renderInstance(
  workflowName: string,
  instance: Described,
  history: Pick<History, "runNumber" | "steps" | "events">,
  width: number | null,
): string {
  const { steps, events } = history;
  // What was open when an earlier run was left waits for nothing any more.
  const isPresent = history.runNumber === instance.details.runNumber;
  const open = steps.filter(({ waitsFor }) => isPresent && waitsFor !== null);
  const attempts = steps.flatMap(toAttemptRows);
  const sections = [
    renderState(workflowName, instance) + renderFacts(instance),
    renderOther(instance.details.runNumber, history.runNumber),
    section(
      `Steps of run ${history.runNumber}`,
      toTable(STEPS, steps.map(toStepRow), width),
      steps,
    ),
    section("Attempts that failed or were lost", toTable(ATTEMPTS, attempts, width), attempts),
    section("Waiting", toTable(WAITS, open.map(toWaitRow), width), open),
    section("Events", toTable(EVENTS, events.map(toEventRow), width), events),
  ];
  return sections.filter((text) => text !== "").join("\n");
}

/** What is said about another run than the present one. */
function renderOther(present: number, shown: number): string {
  if (shown > present)
    return `There is no run ${shown}: the state above is of run ${present}, the present one.\n`;
  const only = `the state above is of run ${present}, and commands act on run ${present} only`;
  return shown === present ? "" : `Run ${shown} is an earlier one: ${only}.\n`;
}

const section = (title: string, table: string, rows: readonly unknown[]): string =>
  rows.length === 0 ? "" : `${title}\n${table}`;

/** Further facts, one per line. */
function renderFacts({ details, ...instance }: Described): string {
  const { error, output, startsAt, deadlineAt, parent, forkedFrom, diverged } = details;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ...toTimes(instance),
    ["params", toValueText(instance.params, undefined)],
    ["starts", startsAt === undefined ? undefined : toTime(startsAt)],
    ["deadline", deadlineAt === undefined ? undefined : toTime(deadlineAt)],
    ["retries", details.retryCount?.toString()],
    ["tags", details.tags?.join(", ")],
    ["memo", details.memo === undefined ? undefined : toPlainJson(details.memo, 0)],
    ["parent", parent && `${parent.workflowName} ${parent.instanceId}, step ${parent.stepKey}`],
    ["fork of", forkedFrom && `${forkedFrom.instanceId}, before step ${forkedFrom.stepKey}`],
    ["output", toValueText(output, details.omittedBytes)],
    ...toChain(error).map(
      (each, depth) => [depth === 0 ? "error" : "cause", toErrorText(each)] as const,
    ),
    ...(diverged ?? []).map(({ kind, stepKey }) => ["diverged", `${kind} ${stepKey}`] as const),
  ];
  return facts
    .filter(([, text]) => text !== undefined && text !== "")
    .map(([name, text]) => `  ${`${name}:`.padEnd(10)}${toPlainText(text ?? "")}\n`)
    .join("");
}

/** Past and next times. */
const toTimes = (
  times: Omit<Described, "details">,
): readonly (readonly [string, string | undefined])[] =>
  (
    [
      ["created", times.createdAt],
      ["started", times.startedAt],
      ["ended", times.completedAt],
      ["due", times.nextWakeAt],
      ["held to", times.heldUntil],
    ] as const
  ).map(([name, at]) => [name, at === null ? undefined : toTime(at)]);

/** An error and its causes. */
function toChain(error: ErrorRecord | null | undefined): readonly ErrorRecord[] {
  return error === null || error === undefined ? [] : [error, ...toChain(error.cause)];
}

const toErrorText = ({ code, name, message }: ErrorRecord): string =>
  `${code ?? name}${message === "" ? "" : `: ${message}`}`;

function toStepRow(step: Step): string[] {
  const { stepKey, type, status, attempts, maxAttempts, lostAttempts, updatedAt } = step;
  const lost = lostAttempts === 0 ? "" : `, ${lostAttempts} lost`;
  const counted = attempts === 0 ? "" : `${attempts} of ${maxAttempts ?? "∞"}${lost}`;
  return [stepKey, type, status, counted, toTime(updatedAt), toStepText(step)];
}

function toStepText({ error, result, omittedBytes }: Step): string {
  if (error !== null) return toChain(error).map(toErrorText).join(" ← ");
  return toValueText(result ?? undefined, omittedBytes) ?? "";
}

function toValueText(value: unknown, omittedBytes: number | undefined): string | undefined {
  if (omittedBytes !== undefined) return `${omittedBytes} bytes, see --payloads`;
  return value === undefined ? undefined : toPlainJson(value, 0);
}

/** Attempts that a version before attempts were stored has counted are missing. */
const toAttemptRows = ({ stepKey, failedAttempts }: Step): string[][] =>
  failedAttempts.map(({ attempt, startedAt, endedAt, runner, error }) => [
    stepKey,
    String(attempt),
    startedAt === null ? "unknown" : toTime(startedAt),
    startedAt === null || endedAt === null ? "unknown" : `${endedAt - startedAt} ms`,
    runner ?? "unknown",
    error === null ? "lost" : `${error.name}: ${error.message}`,
  ]);

function toWaitRow(step: Step): string[] {
  const until = step.waitsFor?.until ?? null;
  return [step.stepKey, toWaitText(step), until === null ? "no time" : toTime(until)];
}

function toWaitText({ waitsFor, attempts }: Step): string {
  if (waitsFor === null) return "";
  switch (waitsFor.kind) {
    case "nextAttempt":
      return `attempt ${attempts + 1}`;
    case "event":
      return `event ${waitsFor.types.join(" or ")}`;
    case "topic":
      return `a message to ${waitsFor.topic}`;
    case "child":
      return `the end of ${waitsFor.id}`;
    case "callback":
      return "a call of its URL";
    case "time":
      return "its time";
  }
}

function toEventRow({
  id,
  type,
  payload,
  omittedBytes,
  createdAt,
  consumedByStepKey,
}: Event): string[] {
  const taken = consumedByStepKey ?? "";
  return [
    type,
    id,
    toTime(createdAt),
    taken,
    toValueText(payload ?? undefined, omittedBytes) ?? "",
  ];
}

/** What happened to a message. */
export const renderEmitted = (topic: string, { duplicate, delivered }: Emitted): string =>
  duplicate
    ? `${toPlainText(topic)}: known by its id already, nothing emitted\n`
    : `${toPlainText(topic)}: handed to ${delivered} ${delivered === 1 ? "run" : "runs"}\n`;
