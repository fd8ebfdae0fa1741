/** @module The statements of commits about topics. Loaded with the first of them. */
import type { Dialect } from "@escapement/db/client";
import { utf8Size } from "../../core/plain-codec.ts";
import type { Commit, MessageEmitted, StepChange } from "../../core/model/change.ts";
import type { Lease } from "../../core/model/records.ts";
import { fromSinceText, type Since, toTopicEvent } from "../../core/topic-event.ts";
import { toWriteOf } from "./commit-steps.ts";
import { query, queryRows } from "./late-statements.ts";
import type { Query } from "./rows.ts";
import * as messages from "./statements/topic-messages.ts";
import * as waits from "./statements/topic-waits.ts";

interface TopicRows {
  readonly topics: Map<string, string>;
  readonly emitted: { readonly commit: Commit; readonly change: MessageEmitted }[];
  readonly opened: waits.NewWaitRow[];
  readonly ended: waits.WaitIdRow[];
}

const byLease = (dialect: Dialect): string => messages.insertMessage(dialect, "lease");

type Statements = Readonly<Record<string, Query<never> | null>>;

export interface TopicStatements {
  /** Statements before the steps are written, because the steps show whether an earlier try has emitted a message. */
  readonly before: Statements;
  readonly after: Statements;
}

/**
 * The statements in their order, under names of their own. First, all topics are locked in the order of their names. Then come
 * the messages, so that no wait of the same commit gets one of them, and then the waits.
 */
export function toTopicStatements(dialect: Dialect, commits: readonly Commit[]): TopicStatements {
  const rows: TopicRows = { topics: new Map(), emitted: [], opened: [], ended: [] };
  for (const commit of commits)
    for (const change of commit.changes) {
      const { lease } = commit;
      if (change.kind === "messageEmitted") {
        rows.emitted.push({ commit, change });
        noteTopic(rows, change.topic, change.topicRowId);
      } else if (change.kind === "step" && change.step.type === "waitForTopic")
        noteWait(rows, lease, change);
    }
  const topics = [...rows.topics]
    .map(([name, id]) => ({ name, id }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const late = rows.opened.filter(
    (row) => row.sinceAt !== undefined || row.sinceAfter !== undefined,
  );
  const lateIds = late.map(({ stepRowId }) => ({ id: stepRowId }));
  const locks = {
    "topics made": queryRows(dialect, waits.insertTopics, topics),
    "topics locked": queryRows(dialect, waits.lockTopics, topics),
  };
  const after = {
    "topics waited for": queryRows(dialect, waits.insertWaits, rows.opened),
    "topics heard": queryRows(dialect, waits.insertTopicEvents, lateIds),
    "topics had": queryRows(dialect, waits.deleteServedWaits, lateIds),
    "topics left": queryRows(dialect, waits.deleteEndedWaits, rows.ended),
    "topics unheard": queryRows(dialect, waits.deleteLeftEvents, rows.ended),
  };
  return rows.emitted.length === 0
    ? { before: {}, after: { ...locks, ...after } }
    : { before: { ...locks, ...toEmits(dialect, rows) }, after };
}

/** Notes a topic. If it does not exist yet, it gets the first row id that is given for it. */
function noteTopic({ topics }: TopicRows, name: string, rowId: string): void {
  if (!topics.has(name)) topics.set(name, rowId);
}

function noteWait(rows: TopicRows, lease: Lease, { step }: StepChange): void {
  if (step.status !== "waiting" || step.waitEventType === null)
    return void rows.ended.push({ id: step.id });
  const topic = step.waitEventType.slice(toTopicEvent("").length);
  const since = fromSinceText(step.result);
  rows.opened.push({
    ...lease,
    stepRowId: step.id,
    topic,
    ...toSinceColumns(since),
  });
  noteTopic(rows, topic, step.id);
}

const toSinceColumns = (since: Since | null): Pick<waits.NewWaitRow, "sinceAt" | "sinceAfter"> => {
  if (since === null) return {};
  return "at" in since ? { sinceAt: since.at } : { sinceAfter: since.after };
};

function toEmits(dialect: Dialect, { emitted }: TopicRows): Readonly<Record<string, Query<never>>> {
  const statements: Record<string, Query<never>> = {};
  for (const [index, { commit, change }] of emitted.entries()) {
    const { topic, rowId, messageId, message, retention } = change;
    const { maxCount, maxBytes, maxAgeMs } = retention;
    const { taskId, token } = commit.lease;
    const { version, loops } = toWriteOf(commit, change.stepKey);
    const of = [taskId, token, change.stepKey, version, loops];
    const values = [topic, rowId, messageId, message, utf8Size(message), ...of];
    statements[`message ${index}`] = query(dialect, byLease, ...values);
    statements[`counted ${index}`] = query(dialect, messages.countMessage, topic, rowId);
    const bounds = [topic, maxCount, maxBytes, maxAgeMs];
    statements[`trimmed ${index}`] = query(dialect, messages.trimMessages, ...bounds);
    statements[`task ${index}`] = query(dialect, messages.insertTopicTask, topic, 0);
  }
  return statements;
}
