/** The routes of bulk jobs: who may use them, what they answer, and what they refuse. */
import { describe, expect, test } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import type { RoutePolicy } from "./route.ts";

const POLICIES: readonly RoutePolicy[] = ["create", "manage", "delete", "events", "read", "view"];

/** Two failed instances. @param allowed policies; the others refuse */
async function createClient(allowed: readonly RoutePolicy[] = POLICIES) {
  const fail = defineWorkflow({ name: "fail" }, async () => {
    throw new RangeError("m");
  });
  const refuse = (): never => {
    throw new RangeError("no");
  };
  const refused = POLICIES.filter((name) => !allowed.includes(name));
  const engine = createEngine({
    workflows: { fail },
    store: createMemoryStore(),
    logger: { log: () => undefined },
    bulk: true,
    http: { open: true, policies: Object.fromEntries(refused.map((name) => [name, refuse])) },
  });
  await engine.workflows.fail.create({ id: "a" });
  await engine.workflows.fail.create({ id: "b" });
  await engine.tick();
  const send = async (method: string, path: string, body?: object) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { "content-type": "application/json" };
    const request = new Request(`http://h/api/workflows/bulk${path}`, { method, headers, ...init });
    const answer = await engine.fetch(request);
    const json = (await answer.json()) as Record<string, unknown>;
    // A job has a status, too.
    const told: Readonly<Record<string, unknown>> = { ...json, httpStatus: answer.status };
    return told;
  };
  return { engine, send };
}

describe("S8-004 routes of bulk jobs", () => {
  test("S8-004 a job is looked at, begun, watched to its end, and listed", async () => {
    const { engine, send } = await createClient();
    const said = { act: "retry", workflows: ["fail"] };
    expect(await send("POST", "/preview", said)).toMatchObject({ httpStatus: 200, count: 2 });
    expect((await engine.listBulks()).bulks).toEqual([]);
    const { id } = await send("POST", "", said);
    for (let ticks = 0; ticks < 10; ticks += 1) await engine.tick();
    const job = { id, status: "complete", progress: { total: 2, done: 2, left: 0 } };
    expect(await engine.getBulk(String(id))).toMatchObject(job);
    expect(await send("GET", "")).toMatchObject({ httpStatus: 200, bulks: [job] });
    expect(await send("POST", "/delete", { idPrefix: "a" })).toMatchObject({ act: "delete" });
    for (let ticks = 0; ticks < 10; ticks += 1) await engine.tick();
    expect((await engine.findInstances()).instances.map((one) => one.id)).toEqual(["b"]);
  });

  test.each([
    ["a dry run needs no more than to look", ["view", "read"], "/preview", { act: "delete" }, 200],
    ["who may only look begins nothing", ["view", "read"], "", { act: "retry" }, 403],
    ["who may only steer sees nothing", ["manage"], "", { act: "retry" }, 403],
    ["who may only steer looks at nothing", ["manage"], "/preview", { act: "retry" }, 403],
    ["who may steer begins", ["manage", "view"], "", { act: "retry" }, 200],
    ["who may steer does not delete", ["manage", "view", "read"], "/delete", {}, 403],
    [
      "who may steer does not delete by the other route",
      ["manage", "view"],
      "",
      { act: "delete" },
      400,
    ],
    ["who may delete deletes", ["delete", "view"], "/delete", {}, 200],
    ["who may delete does not steer", ["delete", "view"], "", { act: "retry" }, 403],
  ] as const)("S8-004 %s", async (...given) => {
    const [, allowed, path, said, status] = given;
    const { engine, send } = await createClient(allowed);
    expect(await send("POST", path, { ...said, tag: "t" })).toMatchObject({ httpStatus: status });
    const isBegun = status === 200 && path !== "/preview";
    expect((await engine.listBulks()).bulks).toHaveLength(isBegun ? 1 : 0);
  });

  test.each([
    [{}],
    [{ act: "retry" }],
    [{ act: "explode", tag: "t" }],
    [{ act: "retry", tag: ["t"] }],
    [{ act: "retry", tag: "t", limit: 5 }],
    [{ act: "retry", tag: "t", createdFrom: "yesterday" }],
    [{ act: "retry", workflows: "fail" }],
    [{ act: "retry", parent: "fail/a" }],
  ])("S8-004 a body that cannot be meant is refused: %j", async (body) => {
    const { engine, send } = await createClient();
    for (const path of ["", "/preview"])
      expect(await send("POST", path, body)).toMatchObject({ httpStatus: 400 });
    expect((await engine.listBulks()).bulks).toEqual([]);
  });
});
