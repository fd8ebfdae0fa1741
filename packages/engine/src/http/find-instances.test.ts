/** Lists over all workflows, over HTTP and by the engine. */
import { describe, expect, test } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

const wait = defineWorkflow({ name: "wait" }, async (_, step) => step.sleep("long", "1 day"));
const fail = defineWorkflow({ name: "fail" }, async () => {
  throw Object.assign(new RangeError("m"), { code: "E_CARD" });
});

/** Two workflows with interleaved instances: two wait, and two have failed. */
async function createClient(policies: readonly string[] = []) {
  const refuse = (): never => {
    throw new RangeError("no");
  };
  const engine = createEngine({
    workflows: { wait, fail },
    store: createMemoryStore(),
    logger: { log: () => undefined },
    http: { open: true, policies: Object.fromEntries(policies.map((name) => [name, refuse])) },
  });
  for (const id of ["a1", "a2"]) {
    await engine.workflows.wait.create({ id, tags: [`tag ${id}`, "both"] });
    await engine.workflows.fail.create({ id });
  }
  await engine.tick();
  const get = async (query: string) => {
    const answer = await engine.fetch(new Request(`http://h/api/workflows/instances${query}`));
    const json = (await answer.json()) as Record<string, unknown>;
    const answered: Record<string, unknown> = { status: answer.status, ...json };
    return answered;
  };
  /** As workflow and id. */
  const list = async (query: string): Promise<readonly string[]> => {
    const { instances } = await get(query);
    const items = instances as readonly { readonly workflowName: string; readonly id: string }[];
    return items.map(({ workflowName, id }) => `${workflowName} ${id}`).toSorted();
  };
  return { engine, get, list };
}

describe("S8-001 instances of all workflows", () => {
  test("S8-001 by status, workflow, tag, beginning of the id, error code and times", async () => {
    const { engine, list } = await createClient();
    const all = ["fail a1", "fail a2", "wait a1", "wait a2"];
    expect(await list("")).toEqual(all);
    expect(await list("?status=errored,terminated")).toEqual(all.slice(0, 2));
    expect(await list("?workflows=wait&status=errored,waiting")).toEqual(all.slice(2));
    expect(await list("?workflows=wait,fail")).toEqual(all);
    expect(await list("?tag=tag%20a2")).toEqual(["wait a2"]);
    expect(await list("?idPrefix=a2")).toEqual(["fail a2", "wait a2"]);
    expect(await list("?errorCode=E_CARD")).toEqual(all.slice(0, 2));
    expect(await list("?errorCode=E_CAR")).toEqual([]);
    expect(await list("?parent=wait%2Fa1")).toEqual([]);
    expect(await list("?stuck=true")).toEqual([]);
    expect(await list("?stuck=false")).toEqual(all);
    expect(await list(`?createdBefore=1`)).toEqual([]);
    expect(await list(`?createdFrom=1&updatedFrom=1&updatedBefore=8640000000000000`)).toEqual(all);
    const { instances } = await engine.findInstances({ createdFrom: new Date(1), tag: "both" });
    expect(instances).toHaveLength(2);
  });

  test("S8-001 pages meet each instance once, by the engine as over HTTP", async () => {
    const { engine, get } = await createClient();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await engine.findInstances({
        pageSize: 1,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const query = cursor === undefined ? "" : `&cursor=${cursor}`;
      expect(await get(`?pageSize=1${query}`)).toEqual({ status: 200, ...page });
      seen.push(...page.instances.map(({ workflowName, id }) => `${workflowName} ${id}`));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(["fail a1", "fail a2", "wait a1", "wait a2"]);
  });

  test("S8-001 counts by workflow and status, up to a cap", async () => {
    const { get, engine } = await createClient();
    const count = { status: "errored", count: 2, isCapped: false };
    expect(await get("/counts?status=errored&workflows=fail")).toMatchObject({
      status: 200,
      counts: [{ workflowName: "fail", ...count }],
    });
    expect(await get("/counts?status=errored,waiting&cap=1")).toMatchObject({
      counts: [
        { workflowName: "wait", status: "errored", count: 0, isCapped: false },
        { workflowName: "wait", status: "waiting", count: 1, isCapped: true },
        { workflowName: "fail", status: "errored", count: 1, isCapped: true },
        { workflowName: "fail", status: "waiting", count: 0, isCapped: false },
      ],
    });
    const { counts } = await engine.countInstances();
    expect(counts).toHaveLength(16);
    const tagged = await engine.countInstances({ tag: "both", status: ["waiting", "errored"] });
    expect(tagged.counts.map((one) => one.count)).toEqual([2, 0, 0, 0]);
  });

  test.each(["view", "read"])("S8-001 whom the policy %s refuses sees neither", async (policy) => {
    const { get } = await createClient([policy]);
    for (const path of ["", "/counts"])
      expect(await get(path)).toMatchObject({ status: 403, code: "FORBIDDEN" });
  });

  test("S8-001 what cannot be meant is refused", async () => {
    const { engine, get } = await createClient();
    for (const query of [
      "?status=failed",
      "?status=",
      "?pageSize=0",
      "?pageSize=101",
      "?createdFrom=-1",
      "?createdFrom=yesterday",
      "?stuck=yes",
      "?parent=wait",
      "?parent=/",
      "/counts?stuck=1",
      "?updatedBefore=8640000000000001",
      "?tag=",
      `?idPrefix=${"a".repeat(257)}`,
      "?idPrefix=%00",
      "/counts?idPrefix=a%00",
      "?errorCode=%00",
      "/counts?cap=0",
      "/counts?cap=10001",
      "/counts?cap=1e3",
    ])
      expect([query, await get(query)]).toMatchObject([query, { status: 400 }]);
    expect(await get("?workflows=wait,none")).toMatchObject({ code: "WORKFLOW_NOT_FOUND" });
    expect(await get("?workflows=")).toMatchObject({ code: "WORKFLOW_NOT_FOUND" });
    expect(await get("?cursor=abc")).toMatchObject({ code: "INVALID_CURSOR" });
    await expect(engine.findInstances({ stauts: ["errored"] } as object)).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
    });
    for (const wrong of [
      { status: [] },
      { workflows: "wait" },
      { workflows: [] },
      { idPrefix: "\ud800" },
      { createdFrom: Number.NaN },
    ])
      await expect(engine.findInstances(wrong as object)).rejects.toMatchObject({
        code: "INVALID_REQUEST",
      });
  });
});
