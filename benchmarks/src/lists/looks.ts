/** What operators look at: every list, filter and count, each over all workflows unless it says otherwise. */
import type { Engine } from "@escapement/engine";
import { PARENT, WORKFLOW_NAMES } from "./fill.ts";

type Find = NonNullable<Parameters<Engine["findInstances"]>[0]>;
type Count = NonNullable<Parameters<Engine["countInstances"]>[0]>;
type Activity = NonNullable<Parameters<Engine["measureActivity"]>[0]>;
type Engined = Pick<Engine, "findInstances" | "countInstances" | "measureActivity">;

/** Something that is looked at, in pages or as counts. */
export interface Look {
  readonly name: string;
  /** One trip. @param cursor of the page before @returns the next one's, if there is one */
  ask(engine: Engined, cursor: string | undefined): Promise<string | undefined>;
}

const NOW = Date.now();
const HOUR_MS = 3_600_000;

const LISTS: Readonly<Record<string, Find>> = {
  "newest of all": {},
  "one workflow": { workflows: [WORKFLOW_NAMES[2] ?? ""] },
  errored: { status: ["errored"] },
  "errored, one workflow": { status: ["errored"], workflows: [WORKFLOW_NAMES[3] ?? ""] },
  "running, queued, waiting": { status: ["running", "queued", "waiting"] },
  "all statuses but complete": {
    status: ["queued", "running", "waiting", "waitingForPause", "paused", "errored", "terminated"],
  },
  "created within an hour": { createdFrom: NOW - 50 * HOUR_MS, createdBefore: NOW - 49 * HOUR_MS },
  "changed within an hour": { updatedFrom: NOW - 50 * HOUR_MS, updatedBefore: NOW - 49 * HOUR_MS },
  "a tag of a tenth": { tag: "region-3" },
  "a tag of one in a million": { tag: "rare" },
  "errored, with a tag": { status: ["errored"], tag: "region-3" },
  "begin of an id": { idPrefix: "i-9999" },
  "error code": { errorCode: "E_7" },
  "error code, errored": { status: ["errored"], errorCode: "E_7" },
  "children of one": { parent: PARENT },
  "children of one, errored": { parent: PARENT, status: ["errored"] },
  stuck: { stuck: true },
  "stuck, one workflow": { stuck: true, workflows: [WORKFLOW_NAMES[0] ?? ""] },
  "pages of 100": { pageSize: 100 },
};

const COUNTS: Readonly<Record<string, Count>> = {
  "by workflow and status": {},
  "errored, up to 10000": { status: ["errored"], cap: 10_000 },
  "of all, up to 10000": { cap: 10_000 },
  "created within an hour": { createdFrom: NOW - 50 * HOUR_MS, createdBefore: NOW - 49 * HOUR_MS },
  "with a tag": { tag: "region-3" },
  "with an error code": { status: ["errored"], errorCode: "E_7" },
  "children of one": { parent: PARENT },
  stuck: { stuck: true },
};

const ofList = ([name, input]: readonly [string, Find]): Look => ({
  name: `list: ${name}`,
  ask: async (engine, cursor) =>
    (await engine.findInstances({ ...input, ...(cursor === undefined ? {} : { cursor }) })).cursor,
});

const ofCount = ([name, input]: readonly [string, Count]): Look => ({
  name: `count: ${name}`,
  ask: async (engine) => void (await engine.countInstances(input)),
});

const DAY_MS = 24 * HOUR_MS;

const ACTIVITIES: Readonly<Record<string, Activity>> = {
  "of the last hour": {},
  "of 120 days": { bucketMs: DAY_MS, buckets: 120 },
  "of one workflow": { workflows: [WORKFLOW_NAMES[1] ?? ""] },
};

const ofActivity = ([name, input]: readonly [string, Activity]): Look => ({
  name: `activity: ${name}`,
  ask: async (engine) => void (await engine.measureActivity(input)),
});

/** Every look. */
export const LOOKS: readonly Look[] = [
  ...Object.entries(LISTS).map(ofList),
  ...Object.entries(COUNTS).map(ofCount),
  ...Object.entries(ACTIVITIES).map(ofActivity),
];

/** Those that change where more instances are stuck than are put in order at once. */
export const LOOKS_AT_MANY_STUCK: readonly Look[] = LOOKS.filter(({ name }) =>
  name.includes("stuck"),
).map(({ name, ask }) => ({ name: `${name}, of 3000`, ask }));
