/** How every reading route is asked for what reads the most, and the bound of what its statements read. */
import { CHILDREN_SCANNED } from "../../core/explain/facts.ts";
import { MAX_SCANNED, MAX_IN_ORDER, MOST_COUNTED } from "../../ports/find-instances.ts";
import {
  ACTIVITY_SCANNED,
  CALLBACKS_SCANNED,
  DUE_COUNTED,
  WAITS_SCANNED,
} from "../../ports/overview.ts";
import { TOPIC_WAITS_SCANNED } from "../../ports/topics.ts";
import { BIG, MANY, PARENT_PATH, SILENT_TOPIC, TOPIC } from "./adverse-rows.ts";

/** How a route is called, and the most that one of its statements reads on Postgres, and does on SQLite. */
export interface Read {
  readonly asks: readonly string[];
  readonly body?: object;
  readonly mostRows: number;
  /** The most steps of SQLite's virtual machine: about half more than they are. */
  readonly mostSteps: number;
  /** @default 1 */
  readonly trips?: number;
  /** The reason for the bound. */
  readonly why: string;
}

const PAGE = 100;
/** A page is read twice: by its keys, and with its payloads. One more row shows whether there is another page. */
const OF_PAGE = 3 * (PAGE + 1);
/** It looks at the rows that match a filter and their tasks, and reads a page of them. */
const OF_SCAN = 2 * MAX_SCANNED + MAX_IN_ORDER + OF_PAGE;

/** The steps or events of a run, and its children, from two ends. */
const OF_EXPLAINED = MANY + 2 * CHILDREN_SCANNED + 10;

const FILTERS = [
  "",
  "&status=waiting,errored",
  "&status=complete&workflows=Order",
  "&tag=none",
  "&errorCode=NONE&status=errored,terminated",
  "&idPrefix=nobody",
  "&createdFrom=1&createdBefore=8000000000000",
  "&updatedFrom=8000000000000",
  `&parent=${PARENT_PATH}`,
  `&parent=${PARENT_PATH}&status=errored`,
  "&stuck=true",
  "&stuck=true&workflows=Order",
  `&stuck=true&parent=${PARENT_PATH}`,
];

const OF_INSTANCE = `/workflows/Order/instances/${BIG}`;

/** Every route with the policies `read` and `view`. */
export const READS: Readonly<Record<string, Read>> = {
  listWorkflows: {
    asks: ["/workflows"],
    mostRows: 0,
    trips: 0,
    mostSteps: 0,
    why: "the code knows them",
  },
  listInstances: {
    asks: [
      `/workflows/Order/instances?pageSize=${PAGE}`,
      `/workflows/Order/instances?pageSize=${PAGE}&status=errored`,
    ],
    mostRows: OF_PAGE,
    mostSteps: 60_000,
    why: "a page",
  },
  getInstance: { asks: [OF_INSTANCE], mostRows: 2, mostSteps: 1000, why: "one instance" },
  describeInstance: {
    asks: [`${OF_INSTANCE}/describe`],
    trips: 2,
    mostRows: OF_EXPLAINED,
    mostSteps: 200_000,
    why: "steps of one run, maxStepsPerRun at most, of which the open ones are told of",
  },
  explainInstance: {
    asks: [`${OF_INSTANCE}/explain`],
    mostRows: OF_EXPLAINED,
    mostSteps: 200_000,
    why: "steps of one run, maxStepsPerRun at most, its events, maxUndeliveredEvents at most, and CHILDREN_SCANNED of its children, twice",
  },
  getReply: {
    asks: [`${OF_INSTANCE}/events/event1/reply`],
    mostRows: 5,
    mostSteps: 1000,
    why: "one event",
  },
  findInstances: {
    asks: FILTERS.map((filter) => `/instances?pageSize=${PAGE}${filter}`),
    mostRows: OF_SCAN,
    mostSteps: 250_000,
    why: "a page, and MAX_SCANNED instances with a filter",
  },
  countInstances: {
    asks: FILTERS.map((filter) => `/instances/counts?cap=10000${filter}`),
    mostRows: MOST_COUNTED,
    mostSteps: 200_000,
    why: "MOST_COUNTED without a filter, COUNTED_AT with one",
  },
  measureActivity: {
    asks: ["/activity", "/activity?workflows=Order&bucketMs=86400000&buckets=120"],
    mostRows:
      ACTIVITY_SCANNED.walked +
      2 * ACTIVITY_SCANNED.all +
      DUE_COUNTED +
      WAITS_SCANNED.instances * WAITS_SCANNED.steps,
    mostSteps: 500_000,
    why: "ACTIVITY_SCANNED instances, the newest, DUE_COUNTED tasks, and WAITS_SCANNED steps of a sample",
  },
  listLeases: {
    asks: ["/leases?limit=1000", "/leases?limit=1000&workflows=Order"],
    mostRows: 3 * 1000,
    mostSteps: 80_000,
    why: "as many as were asked for",
  },
  listCallbacks: {
    asks: [
      `/open-callbacks?pageSize=${PAGE}`,
      `/open-callbacks?pageSize=${PAGE}&workflows=Order`,
      `/open-callbacks?pageSize=${PAGE}&workflows=Asker`,
    ],
    mostRows: 4 * CALLBACKS_SCANNED,
    mostSteps: 200_000,
    why: "CALLBACKS_SCANNED instances, CALLBACK_WAITS.counted of each one's waits, and those of the first of them",
  },
  previewBulk: {
    asks: ["/bulk/preview"],
    body: { act: "terminate", stuck: true },
    mostRows: OF_SCAN,
    trips: 2,
    mostSteps: 120_000,
    why: "a page and counts of what a filter lets through",
  },
  listBulks: {
    asks: [`/bulk?pageSize=${PAGE}`],
    mostRows: OF_PAGE,
    mostSteps: 60_000,
    why: "a page",
  },
  getBulk: { asks: ["/bulk/job-0"], mostRows: 2, mostSteps: 1000, why: "one instance" },
  listWaiters: {
    asks: [TOPIC, SILENT_TOPIC].map((topic) => `/topics/${topic}/waiters?limit=256`),
    mostRows: 4 * TOPIC_WAITS_SCANNED,
    mostSteps: 350_000,
    why: "TOPIC_WAITS_SCANNED waits, each with its step and instance, which is looked up twice",
  },
  listHistory: {
    asks: [`${OF_INSTANCE}/history?pageSize=${PAGE}`],
    // The first trip reads the run.
    trips: 2,
    mostRows: OF_PAGE,
    mostSteps: 60_000,
    why: "a page of steps, and one of events",
  },
  readProgress: {
    asks: [`${OF_INSTANCE}/stream?pageSize=${PAGE}`],
    mostRows: OF_PAGE,
    mostSteps: 6000,
    why: "a page of entries",
  },
};
