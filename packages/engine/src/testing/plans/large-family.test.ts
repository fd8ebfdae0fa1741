/** The cost of a parent with many children is proportional to their number: it is read once, not once for each child. */
import {
  createPostgresDatabase,
  postgresAvailable,
  type TestDatabase,
} from "@escapement-internal/test-servers";
import { createPgDatabase } from "@escapement/db/pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toChildEvent } from "../../core/child.ts";
import { createSqlStore, migrate } from "../../stores/sql/index.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import type { Store } from "../../ports/store.ts";
import { newId, step } from "../store-contract/builders.ts";
import { createVerbs, parkIn } from "../store-contract/scene.ts";
import { createExplainer, type Explainer } from "./explain.ts";
import { CLAIM, newInstance } from "./instances.ts";

const CHILDREN = 300;
/** A child, its task and its step, a few times each; far below the square. */
const MOST_ROWS = 20 * CHILDREN;
const WORKFLOW = "family";

describe.skipIf(!postgresAvailable(18))("a parent of many children", () => {
  let database: TestDatabase;
  let explainer: Explainer;
  let store: Store;
  let parent: ClaimedRun;
  const ids: string[] = [];
  const keys = Array.from({ length: CHILDREN }, (_, index) => `c${index}`);

  beforeAll(async () => {
    database = await createPostgresDatabase();
    const plain = createPgDatabase({ connectionString: database.url, max: 1 });
    await migrate(plain);
    const verbs = createVerbs(createSqlStore({ database: plain }), WORKFLOW);
    await createSqlStore({ database: plain }).create([newInstance(WORKFLOW)]);
    const [claimed] = (await verbs.claim(CLAIM)).runs;
    if (claimed === undefined) throw new TypeError("the parent was not claimed");
    parent = claimed;
    const children = keys.map((stepKey) => ({
      ...newInstance(WORKFLOW),
      kind: "childCreated" as const,
      stepKey,
      onParentEnd: "terminate" as const,
      refusal: { rowId: newId(), payload: `{}` },
    }));
    const waits = children.map(({ stepKey, instanceId }) => {
      const waitEventType = toChildEvent(stepKey, instanceId);
      return step(stepKey, { type: "invoke", status: "waiting", waitEventType, result: null });
    });
    ids.push(...children.map(({ instanceId }) => instanceId));
    await verbs.commit(parent, { changes: [...waits, ...children] });
    await plain.close();
    explainer = await createExplainer(database.url, "force_generic_plan");
    store = createSqlStore({ database: explainer.database });
  }, 120_000);

  afterAll(async () => {
    await explainer.close();
    await database.drop();
  });

  const expectLinear = (): void => {
    expect(explainer.readings.length).toBeGreaterThan(0);
    const most = Math.max(...explainer.readings.map(({ rowsRead }) => rowsRead));
    const worst = explainer.readings.find(({ rowsRead }) => rowsRead === most);
    expect(most, worst?.text).toBeLessThan(MOST_ROWS);
  };

  test("S8-003 to explain it reads each of them a few times", async () => {
    explainer.readings.length = 0;
    const { workflowName, instanceId } = parent.run;
    const facts = await store.loadFacts({ workflowName, instanceId });
    expect(facts?.openSteps).toHaveLength(20);
    expect(facts?.children.map(({ stepKey }) => stepKey).toSorted()).toEqual(
      facts?.openSteps.map(({ stepKey }) => stepKey).toSorted(),
    );
    expectLinear();
  });

  test("S6-012 to leave them all reads each of them a few times, and asks each to end", async () => {
    explainer.readings.length = 0;
    const verbs = createVerbs(store, WORKFLOW);
    await verbs.commit(parent, {
      changes: keys.map((stepKey) => ({ kind: "childReleased", stepKey })),
      outcome: parkIn(60_000),
    });
    expectLinear();
    for (const id of [ids[0], ids.at(-1)])
      expect(await store.loadInstance(WORKFLOW, id ?? "")).toMatchObject({
        endRequested: "terminate",
      });
  });
});
