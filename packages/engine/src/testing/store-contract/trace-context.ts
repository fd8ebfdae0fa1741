/** What created an instance, and what sent an event, is told to who claims the run, and to nobody else. */
import { describe, expect, test } from "vitest";
import { eventConsumed, openWait, step } from "./builders.ts";
import { commitOf, parkIn, type SceneSource } from "./scene.ts";
import { newChild } from "./family.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CREATOR = `00-${TRACE}-00f067aa0ba902b7-01`;
const SENDER = `00-${TRACE}-b7ad6b7169203331-00`;

export function describeTraceContext(source: SceneSource): void {
  describe("trace context", () => {
    test("S8-014 of its creator every claim of the instance tells, after a restart too; of none, null", async () => {
      const scene = source();
      const run = await scene.start({ traceContext: CREATOR });
      expect(run.traceContext).toBe(CREATOR);
      await scene.end(run, parkIn(1000), [step("a")]);
      await scene.clock.advance(1000);
      expect((await scene.claimOne()).traceContext).toBe(CREATOR);
      await scene.control(run.run.instanceId, "restart");
      expect((await scene.claimOne()).traceContext).toBe(CREATOR);
      expect((await scene.start()).traceContext).toBe(null);
    });

    test("S8-014 of its sender the event tells that a claim, a commit or a wait reads", async () => {
      const scene = source();
      const run = await scene.start();
      const { instanceId } = run.run;
      const send = (traceContext?: string) =>
        scene.send(instanceId, "go", null, traceContext === undefined ? {} : { traceContext });
      await send(SENDER);
      await send();
      const read = { readsEvents: true, outcome: { kind: "continue" } } as const;
      const [traced, untraced] = (await scene.commitHeld(run, read)).events;
      expect(traced?.traceContext).toBe(SENDER);
      expect(untraced).not.toHaveProperty("traceContext");
      const { events } = await scene.store.loadEvents({
        ...run.run,
        types: ["go"],
        afterSequence: 0,
      });
      expect(events[0]?.traceContext).toBe(SENDER);
      await scene.end(run, parkIn(0), [openWait("w", "go", null)]);
      const next = await scene.claimOne();
      expect(next.events[0]?.traceContext).toBe(SENDER);
      await scene.commitHeld(next, { changes: [eventConsumed(traced?.id ?? "", "w")] });
      const { items } = (await scene.history(run.run)).events;
      for (const item of items) expect(item).not.toHaveProperty("traceContext");
    });

    test("S8-014 of its parent's run the child tells", async () => {
      const scene = source();
      const parent = await scene.start();
      const commit = commitOf(parent, { changes: [newChild(scene, { traceContext: CREATOR })] });
      await scene.store.commit([commit]);
      expect((await scene.claimOne()).traceContext).toBe(CREATOR);
    });
  });
}
