/** A worker process. Its argument is a job; it ends by itself, by SIGTERM, or by its own SIGKILL. */
import { createEngine, createConsoleLogger, type Logger } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { withVirtualClock } from "../../../packages/engine/src/testing/virtual-clock.ts";
import { openDatabase } from "../subjects/open-database.ts";
import { createFleetWorkflow, logCommits } from "./fleet-workflow.ts";
import { type FleetJob, type Job, TEN_STEPS_ID, type TenStepsJob } from "./job.ts";
import { killAroundBatch, killAroundWrite, killSelf } from "./kill-points.ts";
import { createTenSteps } from "./ten-steps.ts";

const console = createConsoleLogger();
/** A run that moved to another runner is not worth a line here. */
const logger: Logger = {
  log: (level, event, fields) => {
    if (level === "error") console.log(level, event, fields);
  },
};

async function runTenSteps(job: TenStepsJob): Promise<void> {
  const { point } = job;
  const { database } = await withVirtualClock(await openDatabase(job.url));
  const store = killAroundWrite(
    createSqlStore({ database: killAroundBatch(database, point) }),
    point,
  );
  const workflow = createTenSteps({
    name: job.workflowName,
    logPath: job.logPath,
    retriesLimit: job.retriesLimit,
    inBody: async (count) => {
      if (point.at === "body" && point.count === count) await killSelf();
    },
  });
  const engine = createEngine({ workflows: { TEN: workflow }, store, logger });
  if (job.drive === "tick") await engine.tick();
  else {
    engine.startLoop();
    await engine.workflows.TEN.create({ id: TEN_STEPS_ID });
    // The loop's timers keep the process until it kills itself; a kill point that is never reached shows as a time-out.
    return;
  }
  await store.close();
}

async function runFleet(job: FleetJob): Promise<void> {
  const database = await openDatabase(job.url);
  const store = logCommits(createSqlStore({ database }), job.logPath);
  const { leaseMs, concurrency, pollMs } = job;
  const workflows = { FLEET: createFleetWorkflow(job) };
  const engine = createEngine({ workflows, store, logger, leaseMs, concurrency });
  const loop = engine.startLoop({ pollMs });
  process.once("SIGTERM", () => {
    void loop.stop().then(() => store.close());
  });
  process.stdout.write("ready\n");
}

process.on("unhandledRejection", (reason) => {
  process.stderr.write(`unhandled rejection: ${String(reason)}\n`);
  process.exit(70);
});
const job = JSON.parse(process.argv[2] ?? "") as Job;
await (job.kind === "ten-steps" ? runTenSteps(job) : runFleet(job));
