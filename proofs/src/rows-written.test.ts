/**
 * Rows written and read where databases bill them, counted by the server of libSQL as Turso counts: those of indexes too. The
 * table of docs/rows.md is written from these numbers.
 */
import { sqldAvailable } from "@escapement-internal/test-servers";
import { createEngine, defineWorkflow, type Engine } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { describe, expect, it } from "vitest";
import { finishedRuns, queuedRuns } from "../../packages/engine/src/testing/plans/rows.ts";
import { type CountedServer, type Rows, startCounted } from "./subjects/counted-rows.ts";
import { toTable } from "./subjects/table.ts";

const HOUR_MS = 3_600_000;
/** How many others sleep, and how many have finished, of the same workflow. */
const OTHERS = 10_000;
const LONG = 1000;
/** What none of the operations that must not grow comes near to reading for others. */
const READ_MAX = 200;

const order = defineWorkflow({ name: "order" }, async (_event, step) => {
  const first = await step.do("first", () => 1);
  await step.sleep("an hour", "1 hour");
  const second = await step.do("second", () => first + 1);
  const { payload } = await step.waitForEvent("go", { type: "go" });
  return [await step.do("third", () => second + 1), payload];
});

const long = defineWorkflow({ name: "long" }, async (_event, step) => {
  for (let index = 0; index < LONG; index += 1) await step.do(`step-${index}`, () => index);
});

const steps = defineWorkflow({ name: "steps" }, async (_event, step) => {
  for (const name of ["first", "second", "third"]) await step.do(name, () => name);
});

const workflows = { ORDER: order, LONG: long, STEPS: steps };

interface Scene {
  readonly engine: Engine<typeof workflows>;
  readonly server: CountedServer;
}

interface Operation {
  readonly name: string;
  /** Rows of tables and indexes, however many others there are. Absent: it grows with them. */
  readonly readsAtMost?: number;
  readonly work: (scene: Scene) => Promise<unknown>;
}

/** One workflow of an application with little to do: its creator does not run it. */
const LIFE: readonly Operation[] = [
  {
    name: "create",
    readsAtMost: READ_MAX,
    work: ({ engine }) => engine.workflows.ORDER.create({ id: "a" }),
  },
  { name: "claim, first step, asleep", readsAtMost: READ_MAX, work: ({ engine }) => engine.tick() },
  {
    name: "claim, second step, waiting",
    readsAtMost: READ_MAX,
    work: ({ engine }) => engine.tick(),
  },
  {
    name: "send an event",
    readsAtMost: READ_MAX,
    work: ({ engine }) => engine.sendEvent("order", "a", { type: "go" }),
  },
  { name: "claim, third step, end", readsAtMost: READ_MAX, work: ({ engine }) => engine.tick() },
];

const list =
  (request: { readonly pageSize: number; readonly status?: "paused" }) =>
  ({ engine }: Scene): Promise<unknown> =>
    engine.listInstances("order", request);

const OTHER: readonly Operation[] = [
  {
    name: "a workflow of three steps and nothing else",
    readsAtMost: READ_MAX,
    async work({ engine }) {
      await engine.workflows.STEPS.create({ id: "b" });
      await engine.tick();
    },
  },
  { name: "tick with nothing due", readsAtMost: READ_MAX, work: ({ engine }) => engine.tick() },
  {
    name: "status of an instance",
    readsAtMost: READ_MAX,
    work: ({ engine }) => engine.getInstance("order", "a"),
  },
  { name: "a page of 10 instances", readsAtMost: READ_MAX, work: list({ pageSize: 10 }) },
  {
    name: "a page of 10 with a status that none has",
    work: list({ pageSize: 10, status: "paused" }),
  },
  {
    name: `a page of 10 steps of a history of ${LONG}`,
    work: ({ engine }) => engine.listHistory("long", "long", { pageSize: 10 }),
  },
];

/** The clock of the test stands still while steps run. */
const SPREAD = `update "workflow_step_workflows" set "createdAt" = "createdAt" + "_internalId"`;

type Measured = ReadonlyMap<string, Rows>;

/** Rows of each operation, alone or beside many others. */
async function measure(indexes: "lean" | "full", beside: number): Promise<Measured> {
  const server = await startCounted({ indexes });
  try {
    const { dialect } = server.uncounted;
    const others = { workflowName: "order", count: beside };
    const texts = [
      ...finishedRuns(dialect, others),
      ...queuedRuns(dialect, { ...others, isDue: false }),
    ];
    if (beside > 0) await server.uncounted.batch(texts.map((text) => ({ text, values: [] })));
    const past = createEngine({ workflows, store: createSqlStore({ database: server.uncounted }) });
    await past.workflows.LONG.create({ id: "long" });
    await past.tick();
    await server.uncounted.batch([{ text: SPREAD, values: [] }]);
    const engine = createEngine({
      workflows,
      store: createSqlStore({ database: server.database }),
    });
    const rows = new Map<string, Rows>();
    for (const { name, work } of [...LIFE, ...OTHER]) {
      server.takeRows();
      await work({ engine, server });
      rows.set(name, server.takeRows());
      await server.clock.advance(HOUR_MS);
    }
    const { details } = await past.getInstance("order", "a");
    expect(details).toMatchObject({ status: "complete", output: [3, undefined] });
    return rows;
  } finally {
    await server.stop();
  }
}

const writtenBy = (measured: Measured, operations: readonly Operation[]): number =>
  operations.reduce((sum, { name }) => sum + (measured.get(name)?.written ?? 0), 0);

describe.skipIf(!sqldAvailable())("rows on a libSQL server", { timeout: 240_000 }, () => {
  let lean: Measured;
  let full: Measured;
  let leanBesideMany: Measured;
  let fullBesideMany: Measured;

  it("S9-017 a workflow of three steps, a sleep and an event writes at most 56 rows where rows are billed", async () => {
    lean = await measure("lean", 0);
    expect(writtenBy(lean, LIFE)).toBeLessThanOrEqual(56);
    expect(writtenBy(lean, OTHER.slice(1))).toBe(0);
  });

  it("beside ten thousand asleep and as many finished it writes no more, and each statement reads a few rows", async () => {
    [leanBesideMany, fullBesideMany] = [
      await measure("lean", OTHERS),
      await measure("full", OTHERS),
    ];
    for (const measured of [leanBesideMany, fullBesideMany]) {
      for (const { name, readsAtMost = Infinity } of [...LIFE, ...OTHER])
        expect(measured.get(name)?.read, name).toBeLessThanOrEqual(readsAtMost);
    }
    expect(writtenBy(leanBesideMany, LIFE)).toBe(writtenBy(lean, LIFE));
  });

  it("docs/rows.md says what was counted", async () => {
    full = await measure("full", 0);
    const page = toPage({ lean, full }, { lean: leanBesideMany, full: fullBesideMany });
    await expect(page).toMatchFileSnapshot("../../docs/rows.md");
  });
});

const CELLS = ["lean", "full"] as const;

function toPage(
  alone: Readonly<Record<"lean" | "full", Measured>>,
  besideMany: typeof alone,
): string {
  const numbers = ({ name }: Operation): readonly number[] => [
    ...CELLS.map((set) => alone[set].get(name)?.written ?? 0),
    ...CELLS.map((set) => besideMany[set].get(name)?.read ?? 0),
  ];
  const rowOf = (operation: Operation): readonly (string | number)[] => [
    operation.name,
    ...numbers(operation),
  ];
  const sums = LIFE.map(numbers).reduce((sum, row) =>
    sum.map((value, at) => value + (row[at] ?? 0)),
  );
  const table = toTable([
    ["operation", "written, lean", "written, full", "read, lean", "read, full"],
    ...LIFE.map(rowOf),
    ["**these together: a workflow**", ...sums],
    ...OTHER.map(rowOf),
  ]);
  return `# Rows

D1, Durable Objects and Turso bill every row that is written, in an index as in a table; writing a million rows costs as much
as reading a thousand million. Written by \`proofs/src/rows-written.test.ts\` from what a libSQL server counted: a workflow of
three steps, with a sleep of an hour and a wait for an event, beside ${OTHERS} instances that sleep and ${OTHERS} that have
finished. The test fails when more than 56 rows are written, as does one that has workerd count those of a Durable Object;
\`npx vitest run proofs/src/rows-written.test.ts --update\` writes this page anew.

${table.join("\n")}

On Cloudflare each alarm that is set is one row more, and so is each renewal of a lease, everywhere.

## Which indexes a database has

\`\`\`ts
import { migrate } from "@escapement/engine/store/sql";

await migrate(database, { indexes: "lean" }); // or "full"
\`\`\`

- \`full\` has an index of instances by status, and one of steps by time. It is the default for files. \`lean\` has neither, and
  is the default for D1, Durable Objects and libSQL over HTTP and WebSockets. Postgres has one set.
- A libSQL server is taken for Turso. For a server of your own ask for \`full\`; for a file that is a replica of Turso, for
  \`lean\`.
- The database remembers its set. A later \`migrate(database)\` keeps it, makes what is missing of it, and returns which it is;
  asking for the other set changes it. Fragno's \`migrate(fragment)\` on our adapter keeps it too.
- Claims, commits, creates, events and look-ups by id go by the same indexes in both sets. With \`lean\`, a list by status goes
  through the workflow's instances, newest first, until the page is full: a status that few have reads them all. A page of
  history reads all steps of its run.
- Tables made by \`migrate\` have no AUTOINCREMENT, which writes a row with every insert. Tables made by an earlier version, or by
  Fragno's published adapter, keep it (SQLite cannot drop it from a table) and write six rows more a workflow.
`;
}
