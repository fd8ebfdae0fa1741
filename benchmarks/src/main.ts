/** @module `npm run bench`: our engine beside a hand-written floor, in one run, as ratios. */
import { readArguments, USAGE, type Arguments } from "./arguments.ts";
import { measureExtras } from "./extras/measure-extras.ts";
import { measureLog } from "./extras/measure-log.ts";
import { measureAll } from "./measure-all.ts";
import { openStage } from "./measure-store.ts";
import { toExtras, toJson, toTable } from "./report.ts";
import { LOOP_SIZES } from "./sizes.ts";
import type { Stage } from "./stores/stage.ts";

const say = (message: string): void => void process.stderr.write(`bench: ${message}\n`);

/** Loads Fragno only when it is asked for. */
async function compareAdapters({ sizeName, postgresUrl, json }: Arguments): Promise<number> {
  const [{ measureFragno }, { toFragnoJson, toFragnoTable }] = await Promise.all([
    import("./fragno/measure-fragno.ts"),
    import("./fragno/report-fragno.ts"),
  ]);
  const figures = await measureFragno({ sizeName, postgresUrl, onProgress: say });
  process.stdout.write(`${json ? toFragnoJson(figures) : toFragnoTable(figures)}\n`);
  return 0;
}

/** Real sleeps take two minutes: only with `--full`. */
async function printLateness({ sizeName, json }: Arguments): Promise<number> {
  const { runLateness } = await import("./lateness/run-lateness.ts");
  const samples = { tiny: 3, quick: 100, full: 200 }[sizeName];
  const realSamples = sizeName === "full" ? 40 : 0;
  const text = await runLateness({ samples, realSamples, json, say });
  process.stdout.write(`${text}\n`);
  return 0;
}

async function printPlatforms({ sizeName, json }: Arguments): Promise<number> {
  const [{ measurePlatforms }, { toPlatformsJson, toPlatformsTable }] = await Promise.all([
    import("./platforms/measure-platforms.ts"),
    import("./platforms/report-platforms.ts"),
  ]);
  const starts = { tiny: 1, quick: 7, full: 21 }[sizeName];
  const figures = await measurePlatforms({ starts, samples: sizeName === "tiny" ? 3 : 25, say });
  process.stdout.write(`${json ? toPlatformsJson(figures) : toPlatformsTable(figures)}\n`);
  return 0;
}

async function printCost(options: Arguments): Promise<number> {
  const { sizeName, json, costPlatforms: platforms, write } = options;
  const { runCost } = await import("./cost/run-cost.ts");
  process.stdout.write(`${await runCost({ sizeName, json, platforms, write, say })}\n`);
  return 0;
}

async function printRetention({ stores, sizeName, postgresUrl, json }: Arguments): Promise<number> {
  const [{ measureRetention }, { RATIO_TARGET, toRetentionJson, toRetentionTable }] =
    await Promise.all([
      import("./retention/measure-retention.ts"),
      import("./retention/report-retention.ts"),
    ]);
  const figures: Awaited<ReturnType<typeof measureRetention>>[] = [];
  for (const store of stores)
    figures.push(await measureRetention({ store, sizeName, postgresUrl, say }));
  const byStore = new Map(
    stores.flatMap((store, index) => {
      const found = figures[index];
      return found === undefined ? [] : [[store, found] as const];
    }),
  );
  process.stdout.write(`${json ? toRetentionJson(byStore) : toRetentionTable(byStore)}\n`);
  return figures.every(({ ratio }) => json || ratio >= RATIO_TARGET) ? 0 : 1;
}

/** The databases one after the other: they would share the machine. */
async function printLists({ stores, sizeName, postgresUrl, json }: Arguments): Promise<number> {
  const [{ measureLists }, { isMet, toListsJson, toListsTable }] = await Promise.all([
    import("./lists/measure-lists.ts"),
    import("./lists/report-lists.ts"),
  ]);
  const instances = sizeName === "tiny" ? 20_000 : 1_000_000;
  const samples = { tiny: 5, quick: 60, full: 300 }[sizeName];
  const figures = [];
  for (const store of stores) {
    const stage = await openStage(store, postgresUrl);
    figures.push(...(await measureLists(stage, { store, instances, samples, say })));
  }
  process.stdout.write(`${json ? toListsJson(figures) : toListsTable(figures)}\n`);
  return isMet(figures) ? 0 : 1;
}

/** 10,000 histories are what the page gives figures of. */
async function printReplay({ stores, sizeName, postgresUrl, json }: Arguments): Promise<number> {
  const [{ measureReplay }, { isMet, toReplayJson, toReplayTable }] = await Promise.all([
    import("./replay/measure-replay.ts"),
    import("./replay/report-replay.ts"),
  ]);
  const histories = sizeName === "tiny" ? 400 : 10_000;
  const figures = [];
  for (const store of stores) {
    const stage = await openStage(store, postgresUrl);
    figures.push(...(await measureReplay(stage, { store, histories, say })));
  }
  process.stdout.write(`${json ? toReplayJson(figures) : toReplayTable(figures)}\n`);
  return isMet(figures) ? 0 : 1;
}

/** One store after the other, so that none is measured beside another's server at work. */
async function printLoop({ stores, sizeName, postgresUrl, json }: Arguments): Promise<number> {
  const [{ measureLoop }, { measurePlaces }, { isMet, toLoopJson, toLoopTable }] =
    await Promise.all([
      import("./loop/measure-loop.ts"),
      import("./loop/measure-places.ts"),
      import("./loop/report-loop.ts"),
    ]);
  const { loop, places } = LOOP_SIZES[sizeName];
  const figures = [];
  for (const store of ["memory" as const, ...stores]) {
    const common = { store, postgresUrl, say };
    figures.push({
      store,
      loop: await measureLoop({ ...common, size: loop }),
      places: await measurePlaces({ ...common, size: places }),
    });
  }
  process.stdout.write(`${json ? toLoopJson(figures) : toLoopTable(figures)}\n`);
  return sizeName === "tiny" || isMet(figures) ? 0 : 1;
}

async function printAgainst(commit: string, args: Arguments): Promise<number> {
  const [{ measureAgainst }, { toAgainstJson, toAgainstTable }] = await Promise.all([
    import("./against/measure-against.ts"),
    import("./against/report-against.ts"),
  ]);
  const { sizeName, only, postgresUrl, json } = args;
  const figures = await measureAgainst({ commit, sizeName, only, postgresUrl, say });
  process.stdout.write(`${json ? toAgainstJson(figures) : toAgainstTable(figures)}\n`);
  return 0;
}

async function printTelemetry({ sizeName, postgresUrl, json }: Arguments): Promise<number> {
  const [{ measureTelemetry }, { toTelemetryJson, toTelemetryTable }] = await Promise.all([
    import("./telemetry/measure-telemetry.ts"),
    import("./telemetry/report-telemetry.ts"),
  ]);
  const figures = await measureTelemetry({ sizeName, postgresUrl, say });
  process.stdout.write(`${json ? toTelemetryJson(figures) : toTelemetryTable(figures)}\n`);
  return 0;
}

async function main(): Promise<number> {
  const args = readArguments(process.argv.slice(2));
  if (args === null) {
    say(USAGE);
    return 2;
  }
  if (args.fragno) return compareAdapters(args);
  if (args.lateness) return printLateness(args);
  if (args.platforms) return printPlatforms(args);
  if (args.cost) return printCost(args);
  if (args.loop) return printLoop(args);
  if (args.lists) return printLists(args);
  if (args.replay) return printReplay(args);
  if (args.retention) return printRetention(args);
  if (args.telemetry) return printTelemetry(args);
  if (args.against !== null) return printAgainst(args.against, args);
  const results = await measureAll(args);
  if (args.json) {
    process.stdout.write(`${toJson(results)}\n`);
    return 0;
  }
  const { text, isMet } = toTable(results);
  process.stdout.write(`${text}\n`);
  for (const store of args.extras ? args.stores : []) {
    say(`${store}: trips and memory`);
    const open = (): Promise<Stage> => openStage(store, args.postgresUrl);
    const lines = await measureExtras(await open());
    const ofLog = store === "postgres" ? await measureLog(await open()) : [];
    process.stdout.write(`${toExtras(store, [...lines, ...ofLog])}\n`);
  }
  return isMet ? 0 : 1;
}

// The private server does not keep the process alive, and everything else is closed when it is told to stop.
const keepAlive = setInterval(() => {}, 60_000);
process.exitCode = await main();
clearInterval(keepAlive);
