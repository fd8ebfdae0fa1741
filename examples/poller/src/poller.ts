import { defineWorkflow, Loop } from "@escapement/engine";

/** Says whether a service answers. In a real program this is a call over HTTP. */
export const service = { checks: 0, isUp: (check: number): boolean => check % 500 !== 0 };

export const poller = defineWorkflow({ name: "poller" }, async (event, step) => {
  const last = Number(event.payload);
  return step.loop("watch", {
    state: { checks: 0, outages: 0 },
    run: async (own, seen) => {
      const isUp = await own.do("check", () => {
        service.checks += 1;
        return service.isUp(service.checks);
      });
      const next = { checks: seen.checks + 1, outages: seen.outages + (isUp ? 0 : 1) };
      if (next.checks === last) return Loop.break(next);
      // Nothing runs for these ten minutes, and nothing of old iterations stays.
      await own.sleep("pause", "10 minutes");
      return Loop.continue(next);
    },
  });
});
