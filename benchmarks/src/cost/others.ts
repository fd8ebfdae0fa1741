/** The same workflow where the workflow engine is what one pays for. */
import { pay, payMillions, PRICES } from "./price-list.ts";

export interface Other {
  readonly says: string;
  readonly billed: string;
  /** Least and most dollars a month. */
  readonly range: (perMonth: number) => readonly [number, number];
}

/** What each workflow keeps, in GB; kept for a month. */
const GB = 1e-6;
/** Three invocations and 150 ms of 512 MB on arm64. */
const steps = (perMonth: number): number =>
  payMillions("aws.lambda.requests", 3 * perMonth) +
  pay("aws.lambda.gbs.arm64", perMonth * 0.15 * 0.5);

const between = (
  [least, most]: readonly [number, number],
  toDollars: (each: number) => number,
): readonly [number, number] => [toDollars(least), toDollars(most)];

export const OTHERS: readonly Other[] = [
  {
    says: "Cloudflare Workflows",
    billed:
      "5 steps, including the sleep and the wait, and the Workers plan, which includes requests, CPU and 1 GB",
    range: (perMonth) =>
      between(
        [5, 5],
        (each) =>
          pay("cloudflare.workers.paid", 1) +
          payMillions("cloudflare.workflows.steps", each * perMonth, 5e5),
      ),
  },
  {
    says: "Lambda durable functions",
    billed: "5–6 operations, 1 KB written and kept a month; the steps' invocations and 150 ms",
    range: (perMonth) =>
      between(
        [5, 6],
        (each) =>
          payMillions("aws.lambda.durable.operations", each * perMonth) +
          pay("aws.lambda.durable.written", perMonth * GB) +
          pay("aws.lambda.durable.retained", perMonth * GB) +
          steps(perMonth),
      ),
  },
  {
    says: "Step Functions Standard",
    billed: "5–6 state transitions; the steps' invocations and 150 ms",
    range: (perMonth) =>
      between(
        [5, 6],
        (each) =>
          payMillions("aws.stepfunctions.standard", each * perMonth, 4000) + steps(perMonth),
      ),
  },
  {
    says: "Vercel Workflow",
    billed:
      "about 16 events, 1 KB written and kept a month; without its queue operations, its functions and the seat",
    range: (perMonth) =>
      between(
        [16, 16],
        (each) =>
          payMillions("vercel.workflow.events", each * perMonth) +
          pay("vercel.workflow.written", perMonth * GB) +
          pay("vercel.workflow.retained", perMonth * GB),
      ),
  },
  {
    says: "Inngest Pro",
    billed:
      "4 executions (the run and its steps), 6 if sleep and wait count; without what runs the steps",
    range: (perMonth) =>
      between(
        [4, 6],
        (each) => pay("inngest.pro", 1) + payMillions("inngest.overage", each * perMonth, 1e6),
      ),
  },
  {
    says: "Temporal Cloud",
    billed:
      "6 actions at the first price; without storage, the support fee and the worker's machine",
    range: (perMonth) =>
      between([6, 6], (each) => payMillions("temporal.actions", each * perMonth)),
  },
  {
    says: "Trigger.dev",
    billed:
      "a run, and 0.2–1 s on the smallest machine; waits are free; the plan covers usage of its price",
    range: (perMonth) =>
      between([0.2, 1], (seconds) => {
        const usage = pay("triggerdev.run", perMonth) + pay("triggerdev.micro", seconds * perMonth);
        const { "triggerdev.hobby": hobby, "triggerdev.pro": pro } = PRICES;
        return usage <= hobby.dollars ? hobby.dollars : Math.max(pro.dollars, usage);
      }),
  },
];
