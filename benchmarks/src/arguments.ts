/** Command line of the benchmarks. */
import { parseArgs } from "node:util";
import { COST_PLATFORMS, type CostPlatform } from "./cost/platforms.ts";
import type { StoreName } from "./metrics.ts";
import { WORKLOADS } from "./workloads/workloads.ts";
import { type SizeName, SIZES } from "./sizes.ts";

export interface Arguments {
  readonly sizeName: SizeName;
  readonly json: boolean;
  readonly stores: readonly StoreName[];
  /** null: a private server. */
  readonly postgresUrl: string | null;
  /** Workloads to run: w1a, w1b, w2 to w5; empty: all. */
  readonly only: readonly string[];
  /** Also memory and trips (table only). */
  readonly extras: boolean;
  /** Our Fragno adapter beside the published one, instead of the engine beside the floor. */
  readonly fragno: boolean;
  /** Instead: how late sleeps end on each wake path. */
  readonly lateness: boolean;
  /** Instead: what each platform's example costs. */
  readonly platforms: boolean;
  /** Instead: what a month costs on each platform. */
  readonly cost: boolean;
  /** With `cost`: those that are counted; empty: all. */
  readonly costPlatforms: readonly CostPlatform[];
  /** Instead: what a loop that has gone on for long costs, and a history of many places. */
  readonly loop: boolean;
  /** Instead: lists, filters and counts over many instances. */
  readonly lists: boolean;
  /** Instead: stored histories replayed against edited code. */
  readonly replay: boolean;
  /** Instead: this code beside the engine of a commit. */
  readonly against: string | null;
  /** Instead: W1 while finished instances are deleted. */
  readonly retention: boolean;
  /** Instead: the engine with spans of OpenTelemetry beside itself without. */
  readonly telemetry: boolean;
  /** With `cost`: writes `docs/cost.md`. */
  readonly write: boolean;
}

export const USAGE = `npm run bench -- [options]
  --quick             a few rounds, at most 4 minutes (the default)
  --full              more rounds, about 20 minutes
  --size NAME         tiny, quick or full
  --json              one JSON object on standard output, nothing else
  --store NAME        postgres or embedded; may be repeated (default: both)
  --postgres URL      use this server (a database is made on it and removed) instead of a private one
  --only NAME         one of w1a, w1b, w2, w3, w4, w5; may be repeated (default: all)
  --extras            also memory and log per instance and trips per operation
  --fragno            instead: our Fragno adapter beside the published one, on Postgres
  --lateness          instead: how late sleeps end on each wake path; with --full also real sleeps
  --platforms         instead: trips, invocations, bundle size and cold import of each platform
  --cost              instead: what a month costs on each platform, simulated under load
  --platform NAME     with --cost --json: only this one; may be repeated
  --retention         instead: W1 beside many finished instances, without and with retention
  --loop              instead: an iteration of a loop far on (--full: the 100,000th), and a history of many places, in memory too
  --lists             instead: lists, filters and counts over a million instances (--size tiny: 20000)
  --replay            instead: 10,000 stored histories (--size tiny: 400) replayed against edited code, from the database and an export
  --against COMMIT    instead: this code beside another commit's, in turns, on Postgres
  --telemetry         instead: what spans of OpenTelemetry cost a workflow, by how many are sampled; on Postgres, in about 4 minutes
  --write             with --cost --full: writes docs/cost.md and the counts that it is made from`;

/** @returns null when the arguments make no sense; then print USAGE */
export function readArguments(args: readonly string[]): Arguments | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: "boolean", default: false },
        full: { type: "boolean", default: false },
        size: { type: "string" },
        json: { type: "boolean", default: false },
        store: { type: "string", multiple: true, default: ["postgres", "embedded"] },
        postgres: { type: "string" },
        only: { type: "string", multiple: true, default: [] },
        extras: { type: "boolean", default: false },
        fragno: { type: "boolean", default: false },
        lateness: { type: "boolean", default: false },
        platforms: { type: "boolean", default: false },
        cost: { type: "boolean", default: false },
        platform: { type: "string", multiple: true, default: [] },
        loop: { type: "boolean", default: false },
        lists: { type: "boolean", default: false },
        replay: { type: "boolean", default: false },
        against: { type: "string" },
        retention: { type: "boolean", default: false },
        telemetry: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
      },
    });
    const sizeName = values.size ?? (values.full ? "full" : "quick");
    if (!isSizeName(sizeName) || !values.store.every(isStoreName)) return null;
    if (!values.only.every((id) => WORKLOADS.some((workload) => workload.id === id))) return null;
    const {
      store: stores,
      postgres: postgresUrl = null,
      against = null,
      platform: costPlatforms,
      size: _size,
      quick: _quick,
      full: _full,
      ...rest
    } = values;
    if (!costPlatforms.every(isCostPlatform)) return null;
    // The page has all platforms and all loads.
    if (costPlatforms.length > 0 && !(rest.cost && rest.json && !rest.write)) return null;
    if (rest.write && !(rest.cost && sizeName === "full")) return null;
    return { ...rest, sizeName, stores, postgresUrl, against, costPlatforms };
  } catch {
    return null;
  }
}

const isSizeName = (name: string): name is SizeName => Object.hasOwn(SIZES, name);
const isCostPlatform = (name: string): name is CostPlatform =>
  (COST_PLATFORMS as readonly string[]).includes(name);
const isStoreName = (name: string): name is StoreName => name === "postgres" || name === "embedded";
