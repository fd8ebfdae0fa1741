/** One scenario on two kinds of store: the rows must be the same, but for ids and instants. */
import { createPostgresDatabase } from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { withVirtualClock } from "@escapement/engine/testing";
import Connection from "libsql";
import type { Scenario } from "./scenario.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Report } from "./report.ts";
import { simulate } from "./simulate.ts";
import type { Subject } from "./world/subject.ts";
import type { EventRecord } from "./world/engine-types.ts";

/** A store on a database of its own, and what removes it. */
export interface OpenedSubject {
  readonly subject: Subject;
  readonly remove: () => Promise<void>;
}

export type OpenSubject = (scheduler: Scheduler) => Promise<OpenedSubject>;

export const openSqlite: OpenSubject = async () => {
  const connection = new Connection(":memory:");
  return open(createSqliteDatabase(connection), async () => void connection.close());
};

/** Postgres with one database for all simulations: emptied before each. */
export async function createPostgresOpener(): Promise<{
  readonly open: OpenSubject;
  readonly remove: () => Promise<void>;
}> {
  const { url, drop } = await createPostgresDatabase();
  const database = createPgDatabase({ connectionString: url, max: 2 });
  await migrate(database);
  return {
    open: async () => {
      await database.batch(
        TABLES.map((table) => ({ text: `delete from "${table}_workflows"`, values: [] })),
      );
      return open(
        { ...database, batch: database.batch.bind(database), close: async () => {} },
        async () => {},
      );
    },
    remove: async () => {
      await database.close();
      await drop();
    },
  };
}

const TABLES = [
  "workflow_progress",
  "workflow_topic_wait",
  "workflow_message",
  "workflow_topic",
  "workflow_task",
  "workflow_event",
  "workflow_step",
  "workflow_instance",
];

async function open(plain: Database, remove: () => Promise<void>): Promise<OpenedSubject> {
  await migrate(plain);
  const { database, clock } = await withVirtualClock(plain);
  const state = { at: 0 };
  const setNow = async (at: number): Promise<void> => {
    if (state.at === at) return;
    state.at = at;
    await clock.set(at);
  };
  const store = createSqlStore({ database });
  return {
    subject: { store, setNow, isQuick: false },
    remove: async () => {
      await store.close();
      await remove();
    },
  };
}

/** @returns the first difference from the memory store; null: there is none */
export async function compareStores(
  scenario: Scenario,
  openOther: OpenSubject,
): Promise<string | null> {
  const memory = await simulate(scenario);
  let remove = async (): Promise<void> => {};
  try {
    const other = await simulate(scenario, async (scheduler) => {
      const opened = await openOther(scheduler);
      remove = opened.remove;
      return opened.subject;
    });
    return firstDifference(linesOf(memory), linesOf(other));
  } finally {
    await remove();
  }
}

function firstDifference(expected: readonly string[], actual: readonly string[]): string | null {
  for (let index = 0; index < Math.max(expected.length, actual.length); index += 1)
    if (expected[index] !== actual[index])
      return `memory: ${expected[index] ?? "nothing"}\nother:  ${actual[index] ?? "nothing"}`;
  return null;
}

/** Every row, a line each, without ids, instants and stacks. */
export function linesOf({
  instances,
  runs,
  kept,
  isOver,
  hasTask,
  callCount,
}: Report): readonly string[] {
  return [
    `over ${isOver}, a task left ${hasTask}, ${callCount} calls`,
    ...instances.map((instance) => JSON.stringify(withoutInstants(instance))),
    ...runs.flatMap(({ runId, steps, events, replies }) => [
      ...steps.map((step) => `${runId} ${JSON.stringify(withoutInstants(step))}`).toSorted(),
      ...[...replies].map(([, reply]) => `${runId} reply ${reply}`),
      ...events
        .filter(isHeard)
        .map((event) => `${runId} ${JSON.stringify(withoutInstants(event))}`),
    ]),
    ...[...kept].flatMap(([key, entries]) =>
      entries.map(
        (entry) => `${key} entry ${entry.sequence} ${JSON.stringify(withoutInstants(entry))}`,
      ),
    ),
  ];
}

/** A callback that came late, since a scope around its wait had ended, is refused by all, and stored by some. */
const isHeard = ({ type, deliveredAt }: EventRecord): boolean =>
  deliveredAt !== null || !type.startsWith("callback ");

/**
 * Members that tell when, where or by what id, and not what; whether there is an instant at all is kept. An open wait's
 * result is the sequence it looks ahead from, and each store counts sequences its own way.
 */
function withoutInstants(row: object): Record<string, unknown> {
  const isWaiting = "status" in row && row.status === "waiting";
  const members = Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
    if (["id", "sequence", "eventId", "stack"].includes(name)) return [];
    if (name.endsWith("At")) return [[name, value === null ? null : "an instant"]];
    if (name === "result" && typeof value === "string")
      return [[name, isWaiting ? "a sequence" : withoutOwnOfEvent(value)]];
    // What a parent is told of its child has the child's error.
    if (name === "payload" && typeof value === "string") return [[name, withoutStacks(value)]];
    if (typeof value === "object" && value !== null) return [[name, withoutInstants(value)]];
    return [[name, value]];
  });
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** An id that a process made counts the ids that it made before, and a store may ask for one more. */
const withoutOwnOfEvent = (result: string): string =>
  result
    .replace(/"createdAt":\d+/u, `"createdAt":0`)
    .replace(/"id":"id\d+r\d+l\d+n\d+"/u, `"id":"an id"`);

const withoutStacks = (payload: string): string =>
  payload.replaceAll(/"stack":"(?:[^"\\]|\\.)*"/gu, `"stack":""`);
