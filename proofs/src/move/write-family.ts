/** Files of exports of families of any size, as an engine would write them. */
import { crc32 } from "node:zlib";

const INSTANT = 1_700_000_000_000;

export type Line = Record<string, unknown>;

/** What each child has. */
export interface Has {
  readonly steps: number;
  readonly events?: number;
  readonly entries?: number;
  /** Characters of each text. */
  readonly length?: number;
}

const instanceOf = (instanceId: string, parent: object | null): Line => ({
  kind: "instance",
  workflowName: "member",
  instanceId,
  runNumber: 1,
  status: "complete",
  params: null,
  output: `"end"`,
  error: null,
  diverged: [],
  pauseRequested: false,
  endRequested: null,
  parent,
  forkedFrom: null,
  retryCount: 0,
  deadlineAt: null,
  tags: [],
  memo: null,
  createdAt: INSTANT,
  updatedAt: INSTANT,
  startedAt: INSTANT,
  completedAt: INSTANT,
  controlKey: null,
  keyNumber: null,
  traceContext: null,
});

const stepOf = (id: string, stepKey: string, order: number, length: number): Line => ({
  kind: "step",
  id,
  runNumber: 1,
  stepKey,
  name: stepKey,
  type: "do",
  status: "completed",
  attempts: 1,
  lostAttempts: 0,
  maxAttempts: 5,
  timeoutMs: null,
  nextRetryAt: null,
  wakeAt: null,
  waitEventType: null,
  result: JSON.stringify("x".repeat(length)),
  error: null,
  version: 1,
  settledOrder: order,
  createdAt: INSTANT,
  updatedAt: INSTANT,
  startedKeys: null,
  attemptStartedAt: INSTANT,
  runner: null,
  failedAttempts: null,
});

const eventOf = (id: string, sequence: number, length: number): Line => ({
  kind: "event",
  id,
  runNumber: 1,
  sequence,
  type: "go",
  payload: JSON.stringify("x".repeat(length)),
  eventId: null,
  createdAt: INSTANT,
  deliveredAt: null,
  consumedByStepKey: null,
  reply: null,
  traceContext: null,
});

const entryOf = (sequence: number, length: number): Line => ({
  kind: "progress",
  sequence,
  runNumber: 1,
  stepKey: "s0",
  attempt: null,
  createdAt: INSTANT,
  value: JSON.stringify("x".repeat(length)),
});

const PARENT = { workflowName: "member", instanceId: "root", runNumber: 1, stepKey: "c" };

/** A parent with its children, as a file that can be imported. */
export function* writeFamily(children: readonly Has[]): Generator<string> {
  const counts = { instance: 0, step: 0, event: 0, progress: 0 };
  let sum = 0;
  let sequence = 0;
  const write = (line: Line): string => {
    const text = `${JSON.stringify(line)}\n`;
    sum = crc32(text, sum);
    const kind = line["kind"] as keyof typeof counts;
    if (kind in counts) counts[kind] += 1;
    return text;
  };
  const root = { workflowName: "member", instanceId: "root" };
  yield write({
    kind: "header",
    format: "escapement-export",
    version: 1,
    exportId: "family-of-many",
    root,
    exportedAt: INSTANT,
    workflows: ["member"],
  });
  yield write(instanceOf("root", null));
  for (const [child, { steps, events = 0, entries = 0, length = 1 }] of children.entries()) {
    yield write(instanceOf(`c${child}`, { ...PARENT, onParentEnd: "abandon" }));
    for (let at = 0; at < steps; at += 1)
      yield write(stepOf(`s${child}-${at}`, `s${at}`, at + 1, length));
    for (let at = 0; at < events; at += 1)
      yield write(eventOf(`e${child}-${at}`, (sequence += 1), length));
    for (let at = 0; at < entries; at += 1) yield write(entryOf(at + 1, length));
  }
  const crc = sum.toString(16).padStart(8, "0");
  const source = { members: 1, version: 1, events: 0 };
  yield `${JSON.stringify({ kind: "end", counts, source, crc32: crc })}\n`;
}
