/** What a month on a platform costs, without a database where that is another vendor's. */
import type { CostPlatform } from "./platforms.ts";
import { type Month, MONTH_HOURS } from "./month.ts";
import { pay, payMillions, PRICES } from "./price-list.ts";

export interface Line {
  readonly what: string;
  readonly dollars: number;
}

/** @param rowsWritten by a workflow */
type Bill = (month: Month, rowsWritten: number) => readonly Line[];

const CPU_HOURS_A_WORKFLOW = 11 / 3_600_000;
const LAMBDA_GB = 0.5;
const VERCEL_GB = 2;
const DENO_GB = 0.75;
const OBJECT_GB = 0.128;
const OBJECT_CPU_MS = 2;
/** Five pollers, each asking three times a minute when there is nothing. */
const EMPTY_RECEIVES = MONTH_HOURS * 60 * 15;
const CREDITS = { included: 3000, perPack: 1500, perGbHour: 10, perRequest: 2 / 10_000 };

const line = (what: string, dollars: number): Line => ({ what, dollars });

const ofLambda: Bill = (month) => [
  line(
    "requests",
    payMillions("aws.lambda.requests", month.count("api.invocations", "tick.invocations")),
  ),
  line("compute", pay("aws.lambda.gbs.arm64", month.hours("api", "tick") * 3600 * LAMBDA_GB)),
  line(
    "SQS",
    payMillions(
      "aws.sqs.standard",
      month.count("messages", "visibilities") + 2 * month.count("batches"),
    ),
  ),
  line("SQS, empty receives", payMillions("aws.sqs.standard", EMPTY_RECEIVES)),
  line(
    "EventBridge Scheduler",
    payMillions("aws.scheduler.invocations", month.count("schedules") + MONTH_HOURS, 14e6),
  ),
];

const ofVercel: Bill = (month) => [
  line(
    "invocations",
    payMillions("vercel.fluid.invocations", month.count("http.invocations", "wake.invocations")),
  ),
  line("memory", pay("vercel.fluid.memory", month.busyHours("http", "wake") * VERCEL_GB)),
  line("active CPU", pay("vercel.fluid.cpu", month.workflows * CPU_HOURS_A_WORKFLOW)),
  line("queue", payMillions("vercel.queues.operations", month.count("operations"))),
];

const ofNetlify: Bill = (month) => {
  const requests = month.count(
    "http.invocations",
    "schedule.invocations",
    "background.invocations",
  );
  const compute = month.hours("http", "schedule", "background") * CREDITS.perGbHour;
  const { dollars } = PRICES["netlify.credits.extra.pro"];
  const used = compute + requests * CREDITS.perRequest;
  const more = Math.max(0, used - CREDITS.included);
  const share = used === 0 ? 0 : more / used;
  const toDollars = (credits: number): number => (credits * share * dollars) / CREDITS.perPack;
  return [
    line("plan", pay("netlify.pro", 1)),
    line("compute beyond it", toDollars(compute)),
    line("requests beyond it", toDollars(used - compute)),
  ];
};

const ofCloudflare: Bill = (month, rowsWritten) => {
  const requests = month.count("object.requests");
  const rows = month.workflows * rowsWritten + month.count("setAlarms");
  const gbSeconds = month.busyHours("object") * 3600 * OBJECT_GB;
  return [
    line("plan", pay("cloudflare.workers.paid", 1)),
    line(
      "Worker",
      payMillions("cloudflare.workers.requests", month.count("worker.invocations"), 10e6),
    ),
    line("CPU", payMillions("cloudflare.workers.cpu", requests * OBJECT_CPU_MS, 30e6)),
    line("object's requests and alarms", payMillions("cloudflare.do.requests", requests, 1e6)),
    line("object's duration", payMillions("cloudflare.do.duration", gbSeconds, 400_000)),
    line("rows written", payMillions("cloudflare.do.rowsWritten", rows, 50e6)),
  ];
};

const ofDeno: Bill = (month) => {
  const requests = month.count("http.invocations", "self.invocations", "cron.invocations");
  return [
    line("plan", pay("deno.pro", 1)),
    line("requests beyond it", payMillions("deno.requests", requests, 5e6)),
    line("memory beyond it", pay("deno.memory", month.busyHours("loaded") * DENO_GB, 750)),
    line("CPU beyond it", pay("deno.cpu", month.workflows * CPU_HOURS_A_WORKFLOW, 50)),
  ];
};

const ofMachine: Bill = () => [line("machine", pay("vps.small", 1))];

export const BILLS: Readonly<Record<CostPlatform, Bill>> = {
  awsLambda: ofLambda,
  vercel: ofVercel,
  netlify: ofNetlify,
  cloudflare: ofCloudflare,
  deno: ofDeno,
  node: ofMachine,
  bun: ofMachine,
};

export const total = (lines: readonly Line[]): number =>
  lines.reduce((sum, { dollars }) => sum + dollars, 0);
