/** Deno Deploy: one instance, a cron each minute that stays for what its minute brings, and calls of itself. */
import { createDenoPlatform, type DenoRuntime, handler } from "@escapement/deno";
import { createEngine } from "@escapement/engine";
import { eachMinute, serveFetch, SIGNING_KEYS } from "../../lateness/wake-path.ts";
import { openShared, type StayAlive } from "../sandboxes.ts";
import { type CostModel, DELIVERY_MS, type Scene, waitFor } from "../scene.ts";

const TICK_URL = "https://app.example.deno.net/api/workflows/_runner/tick";
const LATE_CRON_MS = 1000;
const STAYS_MS = 30_000;

export const DENO: CostModel = {
  says: "Deno Deploy",
  assumes: [
    "768 MB, billed while the application is loaded (docs.deno.com/deploy/reference/builds, copy of 2026-10-01).",
    "One instance takes all requests, and stays 30 s after the last one (deno.com/deploy/pricing of 2026-09-01 says about 20–30 s; the reference says 5 s to 10 min).",
    "A self-call begins 0–0.2 s later. The cron runs 0–1 s into its minute (assumed). Its runs never overlap, and each is a request.",
    "A workflow takes 11 ms of CPU (assumed).",
  ],
  open: (scene) => {
    const { random, time } = scene;
    const { enter, serve } = createInstance(scene);
    const instances = openShared(scene, () => openProcess(scene));
    let isRunning = false;
    const runCron = async (): Promise<void> => {
      if (isRunning) return;
      isRunning = true;
      const run = (): Promise<void> => instances.run(({ tick }) => tick(), "newest");
      await enter("cron", run).finally(() => (isRunning = false));
    };
    eachMinute(
      time,
      () => random(LATE_CRON_MS),
      () => void runCron().catch(scene.lost),
    );
    const answer = (kind: string, request: Request): Promise<Response> =>
      instances.run((instance, stayAlive) =>
        serve(kind, () => instance.answer(request), stayAlive),
      );
    serveFetch(async (request) => {
      scene.meter.count("messages");
      scene.wakes?.asked(null);
      for (const afterMs of scene.wakes?.copiesAfterMs() ?? []) {
        const call = request.clone();
        const again = async (): Promise<string> => (await answer("self", call)).text();
        time.at(time.now() + afterMs, () => void again().catch(scene.lost));
      }
      await waitFor(random(DELIVERY_MS));
      return answer("self", request);
    });
    return async (request) => {
      const response = await answer("http", request);
      // It counts as under way until its answer has been read.
      await response.text();
      return response.status;
    };
  },
};

interface Process {
  tick(): Promise<void>;
  answer(request: Request): Promise<Response>;
}

function openProcess({ store, workflows, logger, isPreview }: Scene): Process {
  let tick = async (): Promise<void> => undefined;
  const deno: DenoRuntime = {
    ...DEAF,
    env: { get: () => (isPreview === true ? "git-branch/try" : undefined) },
    cron: (_name, _schedule, run) => {
      tick = run;
    },
  };
  const selfCall = { url: TICK_URL, signingKeys: SIGNING_KEYS };
  const platform = createDenoPlatform({ deno, selfCall, logger });
  const http = { open: true } as const;
  const engine = createEngine({ workflows, store, platform, logger, http });
  platform.start();
  const answer = handler(engine, { platform, tick: { signingKeys: SIGNING_KEYS }, logger });
  return { tick: () => tick(), answer };
}

/** Never told to stop. */
const DEAF: Omit<DenoRuntime, "cron" | "env"> = {
  addSignalListener: () => undefined,
  removeSignalListener: () => undefined,
  exit: () => undefined,
};

interface Instance {
  enter<T>(kind: string, work: () => Promise<T>): Promise<T>;
  serve(kind: string, answer: () => Promise<Response>, stayAlive: StayAlive): Promise<Response>;
}

/** Loaded while it is in anything, and for a while after. */
function createInstance({ time, meter }: Scene): Instance {
  const begin = (kind: string): (() => void) => {
    meter.count(`${kind}.invocations`);
    const [leave, unload] = [meter.enter("busy"), meter.enter("loaded")];
    return () => {
      leave();
      time.at(time.now() + STAYS_MS, unload);
    };
  };
  return {
    enter: (kind, work) => work().finally(begin(kind)),
    serve: async (kind, answer, stayAlive) => {
      const end = begin(kind);
      let isRead = (): void => {};
      const { body, status, headers } = await answer();
      if (body === null) {
        end();
        return new Response(null, { status, headers });
      }
      const watched = body.pipeThrough(
        new TransformStream({
          start: () => stayAlive(new Promise<void>((resolve) => (isRead = resolve))),
          flush: () => {
            end();
            isRead();
          },
        }),
      );
      return new Response(watched, { status, headers });
    },
  };
}
