/** Cloudflare: the alarm of a Durable Object. */
import { host } from "@escapement/cloudflare";
import { createEngine } from "@escapement/engine";
import { QUIET, type WakePath } from "../wake-path.ts";

export const CLOUDFLARE: WakePath = {
  name: "cloudflare",
  says: "Cloudflare: alarm of the Durable Object",
  model: "alarm 0–10 ms late; up to a minute at a failover, which is not in the figures",
  open: ({ store, time, random, workflows, invoked }) => {
    let alarmAt: number | null = null;
    const setAlarm = async (at: number): Promise<void> => {
      alarmAt = at;
      time.at(at + random(10), () => {
        if (alarmAt !== at) return;
        alarmAt = null;
        invoked("wake");
        void object.alarm();
      });
    };
    const object = host(
      {
        storage: { getAlarm: async () => alarmAt, setAlarm },
        waitUntil: (work) => void work.catch(() => undefined),
        blockConcurrencyWhile: (work) => work(),
      },
      (platform) =>
        createEngine({ workflows, store, platform, logger: QUIET, http: { open: true } }),
      { logger: QUIET },
    );
    return (request) => {
      invoked("request");
      return object.fetch(request);
    };
  },
};
