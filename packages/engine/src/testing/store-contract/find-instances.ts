/** `findInstances` and `countInstances`: over workflows, by properties of instances, page by page. */
import { describe, expect, test } from "vitest";
import type { FindInstancesRequest } from "../../ports/find-instances.ts";
import type { PagePosition } from "../../ports/pages.ts";
import { ANYTHING, errorOf, newId } from "./builders.ts";
import { COMPLETE, type Scene, type SceneSource } from "./scene.ts";

type Asked = Partial<FindInstancesRequest>;

/** All pages, as ids; of one workflow if none are named. */
async function walk(scene: Scene, asked: Asked = {}): Promise<string[]> {
  const ids: string[] = [];
  let after: PagePosition | null = null;
  do {
    const page = await scene.store.findInstances({
      workflowNames: [scene.workflowName],
      ...ANYTHING,
      ...asked,
      after,
    });
    expect(page.items.length).toBeLessThanOrEqual(asked.pageSize ?? 100);
    expect(page.isIncomplete && page.next === null).toBe(false);
    ids.push(...page.items.map(({ instanceId }) => instanceId));
    after = page.next;
  } while (after !== null);
  return ids;
}

/** Three workflows with interleaved instances, some with the same instant; newest first. */
async function createInTurns(scene: Scene) {
  const { store, clock } = scene;
  const names = [scene.workflowName, `X${newId()}`, `Y${newId()}`];
  const made: { readonly instanceId: string; readonly name: string; readonly status: string }[] =
    [];
  for (let turn = 0; turn < 12; turn += 1) {
    const name = names[turn % 3] ?? "";
    const instance = scene.newInstance({ workflowName: name });
    await store.create([instance]);
    const command = (["none", "pause", "terminate"] as const)[Math.floor(turn / 3) % 3] ?? "none";
    if (command !== "none")
      await store.control({
        workflowName: name,
        instanceId: instance.instanceId,
        command,
        ifRunNumber: null,
        ifStatus: null,
        controlKey: null,
        taskRowId: newId(),
      });
    const status = { none: "queued", pause: "paused", terminate: "terminated" }[command];
    made.unshift({ instanceId: instance.instanceId, name, status });
    await clock.advance(1);
  }
  return { names, made };
}

async function createEnded(scene: Scene, tags: readonly string[]) {
  const run = await scene.start({ tags });
  await scene.end(run, COMPLETE);
  return run.run;
}

export function describeFindInstances(scene: SceneSource): void {
  describe("findInstances", () => {
    test("S8-001 instances of several workflows come newest first, no row twice and none missing, whatever the page", async () => {
      const at = scene();
      const { names, made } = await createInTurns(at);
      const all = made.map(({ instanceId }) => instanceId);
      for (const pageSize of [1, 2, 5, 12, 100])
        expect(await walk(at, { workflowNames: names, pageSize })).toEqual(all);
      const some = made.filter(({ name }) => name !== names[1]).map(({ instanceId }) => instanceId);
      expect(
        await walk(at, { workflowNames: [names[0] ?? "", names[2] ?? ""], pageSize: 3 }),
      ).toEqual(some);
      expect(await walk(at, { workflowNames: [`Z${newId()}`] })).toEqual([]);
    });

    test("S8-001 more workflows and statuses than a statement takes are answered all the same, newest first", async () => {
      const at = scene();
      const { names, made } = await createInTurns(at);
      const others = Array.from({ length: 120 }, (_, index) => `Z${index}${newId()}`);
      const [first = "", second = "", third = ""] = names;
      const workflowNames = [first, ...others.slice(0, 60), second, ...others.slice(60), third];
      const of = (...statuses: readonly string[]): readonly string[] =>
        made.filter(({ status }) => statuses.includes(status)).map((one) => one.instanceId);
      const statuses = ["paused", "queued", "errored", "waiting", "complete"] as const;
      for (const pageSize of [1, 5, 100])
        expect(await walk(at, { workflowNames, statuses, pageSize })).toEqual(of(...statuses));
      // Looks that end before their page is full, because few rows match.
      const { instanceId: idPrefix } = made.at(-1) ?? { instanceId: "" };
      expect(await walk(at, { workflowNames, statuses, pageSize: 2, idPrefix })).toEqual([
        idPrefix,
      ]);
    });

    test("S8-001 a set of statuses over several workflows, page by page", async () => {
      const at = scene();
      const { names, made } = await createInTurns(at);
      for (const statuses of [["paused"], ["queued", "terminated"], ["errored"]] as const) {
        const has = made.filter(({ status }) => (statuses as readonly string[]).includes(status));
        for (const pageSize of [1, 3, 100])
          expect(await walk(at, { workflowNames: names, statuses, pageSize })).toEqual(
            has.map(({ instanceId }) => instanceId),
          );
      }
    });

    test("S8-001 instants of creation bound it, the first of them included and the last not", async () => {
      const at = scene();
      const made: { readonly instanceId: string; readonly createdAt: number }[] = [];
      for (let count = 0; count < 5; count += 1) {
        made.unshift(await at.create());
        await at.clock.advance(10);
      }
      const [createdBefore, createdFrom] = [made[1]?.createdAt ?? 0, made[3]?.createdAt ?? 0];
      const within = made.slice(2, 4).map(({ instanceId }) => instanceId);
      for (const statuses of [null, ["queued"]] as const)
        expect(await walk(at, { createdFrom, createdBefore, statuses, pageSize: 1 })).toEqual(
          within,
        );
    });

    test("S8-001 the instant of the last change, a tag, the beginning of an id and the code of an error are looked for", async () => {
      const at = scene();
      const tagged = await createEnded(at, ["a", `b","c`]);
      const comma = await createEnded(at, ["c,", "ab"]);
      await at.clock.advance(10);
      const failed = await at.start({ instanceId: `order-%_${newId()}` });
      const error = { ...errorOf("Error", "m"), code: "STEP_FAILED", details: { code: "OTHER" } };
      await at.end(failed, { kind: "fail", error });
      const other = await at.start({ instanceId: `order_${newId()}` });
      await at.end(other, COMPLETE);
      const { updatedAt } = await at.load(failed.run.instanceId);
      const found = async (asked: Asked): Promise<string[]> => (await walk(at, asked)).toSorted();
      const [ofFailed, ofOther] = [failed.run.instanceId, other.run.instanceId];
      expect(await found({ tag: "a" })).toEqual([tagged.instanceId]);
      expect(await found({ tag: `b","c` })).toEqual([tagged.instanceId]);
      for (const tag of ["c", "b", ",", "", `"`]) expect(await found({ tag })).toEqual([]);
      expect(await found({ tag: "ab" })).toEqual([comma.instanceId]);
      expect(await found({ idPrefix: "order-%" })).toEqual([ofFailed]);
      expect(await found({ idPrefix: "order" })).toEqual([ofFailed, ofOther].toSorted());
      expect(await found({ idPrefix: "ORDER" })).toEqual([]);
      expect(await found({ errorCode: "STEP_FAILED" })).toEqual([ofFailed]);
      expect(await found({ errorCode: "STEP" })).toEqual([]);
      expect(await found({ errorCode: "OTHER" })).toEqual([]);
      expect(await found({ updatedFrom: updatedAt })).toEqual([ofFailed, ofOther].toSorted());
      const before = [tagged.instanceId, comma.instanceId].toSorted();
      expect(await found({ updatedBefore: updatedAt })).toEqual(before);
      expect(await found({ errorCode: "STEP_FAILED", statuses: ["complete"] })).toEqual([]);
    });

    test("S8-001 what is rare is found behind thousands that are looked at, by going on", async () => {
      const at = scene();
      const rare = await at.create({ tags: ["rare"] });
      await at.clock.advance(1);
      for (let round = 0; round < 18; round += 1)
        await at.store.create(Array.from({ length: 250 }, () => at.newInstance()));
      for (const statuses of [null, ["queued"]] as const)
        expect(await walk(at, { tag: "rare", pageSize: 10, statuses })).toEqual([rare.instanceId]);
    }, 240_000);

    test("S8-001 pages of many workflows miss nothing, whichever has the newest and however many are of one instant", async () => {
      const at = scene();
      const names = Array.from({ length: 12 }, () => `W${newId()}`);
      const made: { readonly id: string; readonly at: number }[] = [];
      for (let round = 0; round < 6; round += 1) {
        // In turns all of them, one that has many, and each third.
        const some = names.filter((_, index) => [true, index === 4, index % 3 === 0][round % 3]);
        const batch = some.flatMap((workflowName) =>
          Array.from({ length: round % 3 === 1 ? 20 : 1 }, () => at.newInstance({ workflowName })),
        );
        await at.store.create(batch);
        made.unshift(...batch.map(({ instanceId: id }) => ({ id, at: round })));
        await at.clock.advance(1);
      }
      for (const statuses of [null, ["queued"], ["queued", "errored"]] as const)
        for (const pageSize of [1, 5, 26]) {
          const ids = await walk(at, { workflowNames: names, statuses, pageSize });
          const places = new Map(made.map((one) => [one.id, one.at]));
          const rounds = ids.map((id) => places.get(id) ?? -1);
          expect(rounds).toEqual(made.map((one) => one.at));
          expect(new Set(ids).size).toBe(made.length);
        }
    });

    test("S8-001 items are records without their params, and with their size in place of a large output", async () => {
      const at = scene();
      const run = await at.start({ params: "[]" });
      await at.end(run, COMPLETE);
      const whole = await at.load(run.run.instanceId);
      const request = { workflowNames: [at.workflowName], ...ANYTHING, after: null };
      const { items } = await at.store.findInstances(request);
      expect(items).toEqual([{ ...whole, params: null }]);
      const small = await at.store.findInstances({ ...request, maxPayloadBytes: 2 });
      expect(small.items).toEqual([{ ...whole, params: null, output: null, omittedBytes: 6 }]);
    });

    test("S8-001 counts are by workflow and status, up to a cap", async () => {
      const at = scene();
      const { names, made } = await createInTurns(at);
      const statuses = ["queued", "paused", "errored"] as const;
      for (const cap of [1, 2, 100]) {
        const counts = await at.store.countInstances({ workflowNames: names, statuses, cap });
        const expected = names.flatMap((workflowName) =>
          statuses.map((status) => {
            const has = made.filter((one) => one.name === workflowName && one.status === status);
            const count = Math.min(cap, has.length);
            return { workflowName, status, count, isCapped: count === cap };
          }),
        );
        expect(new Set(counts)).toEqual(new Set(expected));
        expect(counts).toHaveLength(expected.length);
      }
    });
  });
}
