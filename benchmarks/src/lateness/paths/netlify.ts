/** Netlify: a minute schedule that only asks, and a background function that stays for what its minute brings. */
import { createEngine } from "@escapement/engine";
import {
  backgroundHandler,
  createNetlifyPlatform,
  handler,
  type NetlifyFunction,
  scheduleHandler,
} from "@escapement/netlify";
import {
  type Cause,
  eachMinute,
  QUIET,
  serveFetch,
  SIGNING_KEYS,
  type WakePath,
} from "../wake-path.ts";

const SITE = "https://app.netlify.app";

const openNetlify =
  (looksAhead: boolean): WakePath["open"] =>
  ({ store, time, random, workflows, invoked }) => {
    const platform = createNetlifyPlatform({
      signingKeys: SIGNING_KEYS,
      siteUrl: SITE,
      looksAhead,
    });
    const engine = createEngine({
      workflows,
      store,
      platform,
      logger: QUIET,
      http: { open: true },
    });
    const invoke = (by: Cause, run: NetlifyFunction, request: Request): Promise<Response> => {
      invoked(by);
      return run(request, { waitUntil: (work) => void work.catch(() => undefined) });
    };
    const work = backgroundHandler(engine, { platform, logger: QUIET });
    // A background function is answered for before it begins.
    serveFetch(async (request) => {
      void invoke("wake", work, request);
      return new Response(null, { status: 202 });
    });
    const ask = scheduleHandler(engine, { platform, logger: QUIET });
    const schedule = (): void => void invoke("schedule", ask, new Request(`${SITE}/schedule`));
    eachMinute(time, () => random(5000), schedule);
    const answer = handler(engine, { platform });
    return (request) => invoke("request", answer, request);
  };

const MODEL = "schedule 0–5 s into its minute (assumed)";

export const NETLIFY: WakePath = {
  name: "netlify",
  says: "Netlify: minute schedule with look-ahead (the default)",
  model: MODEL,
  open: openNetlify(true),
};

export const NETLIFY_CHEAP: WakePath = {
  name: "netlifyCheap",
  says: "Netlify with `looksAhead: false`: minute schedule",
  model: MODEL,
  open: openNetlify(false),
};
