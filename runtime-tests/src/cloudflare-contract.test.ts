/** What the Cloudflare adapter keeps in workerd, with workflows in the object's storage and in D1. */
import {
  type AdapterFixture,
  type AdapterWake,
  describeAdapterContract,
  type FixtureOptions,
} from "@escapement/adapter-contract";
import { missingWorkerd } from "./tools.ts";
import { prepareWorker, type WorkerApp } from "./worker-app.ts";
import type { KeptAlarm, WorkerAppSettings } from "./worker-app-settings.ts";

const skip = missingWorkerd();

async function open(options: FixtureOptions, settings: WorkerAppSettings): Promise<AdapterFixture> {
  const { hasTickSecrets, losesWakes, database: state = "up" } = options;
  const folder = await prepareWorker("worker-app");
  const app = await folder.start({
    ...settings,
    hasTickSecrets,
    state,
    ...(losesWakes ? { alarms: "lose" } : {}),
  });
  return {
    ...(settings.alarms === "keep" ? keepWakes(app) : callsOf(app)),
    teardown: async () => {
      await app.stop();
      folder.remove();
    },
  };
}

const callsOf = (app: WorkerApp): Pick<AdapterFixture, "call" | "safetyTick"> => ({
  call: ({ path, ...init }) => fetch(`${app.url}${path}`, { ...init, redirect: "manual" }),
  safetyTick: async () => {
    const { outcome } = await app.cron();
    if (outcome !== "ok") throw new TypeError(`the cron ended: ${outcome}`);
  },
});

/** Alarms are rung by the test, which is told of them after each invocation. */
function keepWakes(app: WorkerApp): Omit<AdapterFixture, "teardown"> {
  const wakes: AdapterWake[] = [];
  const { call, safetyTick } = callsOf(app);
  const takeAfter = async <T>(invocation: Promise<T>): Promise<T> => {
    try {
      return await invocation;
    } finally {
      const kept = (await (await fetch(`${app.url}/alarms/take`)).json()) as readonly KeptAlarm[];
      wakes.push(...kept.map((at) => ({ at, deliver: deliver(at) })));
    }
  };
  const deliver =
    (at: KeptAlarm): AdapterWake["deliver"] =>
    ({ remainingMs } = {}) => {
      const query = new URLSearchParams({
        ...(at === null ? {} : { exact: "" }),
        ...(remainingMs === undefined ? {} : { runLimitMs: String(remainingMs) }),
      });
      return takeAfter(ring(`${app.url}/alarms/ring?${query.toString()}`));
    };
  return {
    call: (request) => takeAfter(call(request)),
    safetyTick: () => takeAfter(safetyTick()),
    takeWakes: () => wakes.splice(0),
  };
}

async function ring(url: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok) throw new TypeError(`the alarm failed: ${await answer.text()}`);
}

const RINGS = "workerd rings the alarms by itself";
const exactWakes = { maxWakeMs: Infinity, earlyMs: 0 };
const always = {
  faults: true,
  clockSkew:
    "the clock of an object is that of its alarm; a database's that is behind is tested in the adapter",
  unknownEvents: "an object is told of nothing that its class has no method for",
} as const;
const byItself = { invocations: RINGS, deadlines: RINGS, exactWakes: RINGS, ...always };

describeAdapterContract({
  name: "Cloudflare, storage of the object, alarms rung by hand",
  skip,
  capabilities: { invocations: true, deadlines: true, exactWakes, ...always },
  open: (options) => open(options, { alarms: "keep" }),
});

describeAdapterContract({
  name: "Cloudflare, storage of the object, alarms of workerd",
  skip,
  capabilities: byItself,
  open: (options) => open(options, {}),
});

describeAdapterContract({
  name: "Cloudflare, D1, alarms of workerd",
  skip,
  capabilities: byItself,
  open: (options) => open(options, { database: "d1" }),
});
