/** Deno Deploy: a minute cron that stays for what its minute brings; what a request makes due is a call of itself. */
import { createDenoPlatform, type DenoRuntime, handler } from "@escapement/deno";
import { createEngine } from "@escapement/engine";
import { eachMinute, QUIET, serveFetch, SIGNING_KEYS, type WakePath } from "../wake-path.ts";

const TICK_URL = "https://app.example.deno.net/api/workflows/_runner/tick";

export const DENO: WakePath = {
  name: "deno",
  says: "Deno Deploy: minute cron with look-ahead hold",
  model:
    "cron 0–1 s into its minute (assumed; on Deno 2.9.6 within milliseconds), runs never overlap",
  open: ({ store, time, random, workflows, invoked }) => {
    let isRunning = false;
    const run = async (tick: () => Promise<void>): Promise<void> => {
      if (isRunning) return;
      isRunning = true;
      invoked("schedule");
      await tick().finally(() => (isRunning = false));
    };
    const deno: DenoRuntime = {
      cron: (_name, _schedule, tick) =>
        eachMinute(
          time,
          () => random(1000),
          () => void run(tick),
        ),
      env: { get: () => undefined },
      addSignalListener: () => undefined,
      removeSignalListener: () => undefined,
      exit: () => undefined,
    };
    const selfCall = { url: TICK_URL, signingKeys: SIGNING_KEYS };
    const platform = createDenoPlatform({ deno, selfCall, logger: QUIET });
    const engine = createEngine({
      workflows,
      store,
      platform,
      logger: QUIET,
      http: { open: true },
    });
    platform.start();
    const answer = handler(engine, { platform, tick: { signingKeys: SIGNING_KEYS } });
    serveFetch((request) => {
      invoked("wake");
      return answer(request);
    });
    return (request) => {
      invoked("request");
      return answer(request);
    };
  },
};
