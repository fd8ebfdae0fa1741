/** The platforms as their smaller plans have them, and what is played there. */
import { openLambda } from "../cost/models/aws-lambda.ts";
import { openVercel } from "../cost/models/vercel.ts";
import { COST_MODELS } from "../cost/models.ts";
import type { CostModel } from "../cost/scene.ts";
import { naps, type Planned, type Scenario } from "./scenarios.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface PlanCase {
  /** Row of the acceptance list that it is about. */
  readonly row: "S9-012" | "S9-013";
  readonly says: string;
  readonly model: CostModel;
  readonly scenario: Scenario;
  readonly size: number;
  readonly bounds: {
    readonly lateMs: number;
    /** How long an invocation may live. */
    readonly longestMs: number;
    /** Of what a preview created. */
    readonly previewLateMs?: number;
  };
}

const withOpen = (open: CostModel["open"]): CostModel => ({ says: "", assumes: [], open });

/** A day, and anywhere in its hour. @source vercel.com/docs/cron-jobs/usage-and-pricing, read 2026-11 */
const DAILY = { periodMs: DAY_MS, lateMs: HOUR_MS };
const HOBBY = withOpen((scene) => openVercel(scene, { hasQueue: true, cron: DAILY }));
const HOBBY_WITHOUT_QUEUE = withOpen((scene) =>
  openVercel(scene, { hasQueue: false, cron: DAILY }),
);
/** What a new account has. @source docs.aws.amazon.com/lambda, lambda-concurrency, recalled */
const LAMBDA_OF_TEN = withOpen((scene) => openLambda(scene, 10));

/** The queue's visibility timeout: a message whose tick was throttled comes again after it. */
const THROTTLED_MS = 330_000 + SECOND_MS;

const LIMITS_MS = { vercel: 300_000, awsLambda: 300_000, netlify: 900_000, cloudflare: 900_000 };

const toScenario = (instances: readonly Planned[], more: Partial<Scenario> = {}): Scenario => ({
  name: "plan",
  says: "on a plan",
  row: "S9-012",
  instances,
  troubles: {},
  ...more,
});

const oneRun = (atMs = 1000): readonly Planned[] => [{ id: "long", atMs, dueMs: null }];
const overnight = (count: number): readonly Planned[] =>
  Array.from({ length: count }, (_none, index) => ({ id: `night-${index}`, atMs: 0, dueMs: null }));

/** Two more than a second, beside a preview that creates now and then; production sleeps through the rest. */
const WITH_PREVIEW: readonly Planned[] = [
  ...naps(10, (index) => 40_337 + index * 511),
  ...Array.from({ length: 5 }, (_none, index) => ({
    id: `preview-${index}`,
    atMs: 90_117 + index * 20_000,
    dueMs: null,
    from: "preview" as const,
  })),
];

const LONG = { bodyMs: 20 * SECOND_MS, limitMs: 2 * DAY_MS };

export const PLAN_CASES: readonly PlanCase[] = [
  {
    row: "S9-013",
    says: "Vercel Hobby with Queues: a run of 50 steps of 20 s goes through four invocations of 300 s",
    model: HOBBY,
    scenario: toScenario(oneRun(), { ...LONG, moreSteps: 48 }),
    size: 10,
    bounds: { lateMs: 2 * SECOND_MS, longestMs: LIMITS_MS.vercel },
  },
  {
    row: "S9-013",
    says: "Vercel Hobby without Queues: a run of 50 steps of 20 s goes through four invocations of 300 s",
    model: HOBBY_WITHOUT_QUEUE,
    scenario: toScenario(oneRun(), { ...LONG, moreSteps: 48 }),
    size: 10,
    bounds: { lateMs: 2 * SECOND_MS, longestMs: LIMITS_MS.vercel },
  },
  {
    row: "S9-012",
    says: "Vercel Hobby with Queues: a sleep of an hour ends to the second",
    model: HOBBY,
    scenario: toScenario([{ id: "hour", atMs: 1000, dueMs: HOUR_MS }]),
    size: 10,
    bounds: { lateMs: 2 * SECOND_MS, longestMs: LIMITS_MS.vercel },
  },
  {
    row: "S9-012",
    says: "Vercel Hobby without Queues: a sleep of an hour ends by the daily cron, a day and an hour late at most",
    model: HOBBY_WITHOUT_QUEUE,
    scenario: toScenario([{ id: "hour", atMs: 1000, dueMs: HOUR_MS }], {
      limitMs: 2 * DAY_MS,
    }),
    size: 10,
    bounds: { lateMs: DAY_MS + HOUR_MS, longestMs: LIMITS_MS.vercel },
  },
  {
    row: "S9-013",
    says: "Vercel Hobby without Queues: 600 that were left overnight, of 20 s each, are worked off by hand-overs of one day's cron",
    model: HOBBY_WITHOUT_QUEUE,
    scenario: toScenario(overnight(600), {
      bodyMs: 10 * SECOND_MS,
      limitMs: DAY_MS + 2 * HOUR_MS,
    }),
    size: 10,
    bounds: { lateMs: 0, longestMs: LIMITS_MS.vercel },
  },
  {
    row: "S9-013",
    says: "Cloudflare free, a database elsewhere: a run of 200 steps that each call out has 50 subrequests an invocation",
    model: COST_MODELS.cloudflare,
    scenario: toScenario(oneRun(), {
      moreSteps: 198,
      troubles: { subrequests: 50 },
    }),
    size: 1,
    bounds: { lateMs: 2 * SECOND_MS, longestMs: LIMITS_MS.cloudflare },
  },
  {
    row: "S9-013",
    says: "Lambda with 10 invocations at once for all functions: 600 requests in half a second, while a sleep ends",
    model: LAMBDA_OF_TEN,
    scenario: toScenario([
      { id: "sleeper", atMs: 500, dueMs: 50_900 },
      { id: "later", atMs: 600, dueMs: 80_500 },
      ...Array.from({ length: 600 }, (_none, index) => ({
        id: `new-${index}`,
        atMs: 50_700 + Math.floor(index * 0.8),
        dueMs: null,
      })),
    ]),
    size: 100,
    bounds: { lateMs: THROTTLED_MS, longestMs: LIMITS_MS.awsLambda },
  },
  {
    row: "S9-013",
    says: "Netlify: a run of 60 steps of 20 s outlives a background function of 15 minutes",
    model: COST_MODELS.netlify,
    scenario: toScenario(oneRun(), { ...LONG, moreSteps: 58 }),
    size: 10,
    bounds: { lateMs: 2 * SECOND_MS, longestMs: LIMITS_MS.netlify },
  },
  {
    row: "S9-012",
    says: "Vercel: what a preview creates on production's database is run by production's hourly cron, and the preview does nothing",
    model: COST_MODELS.vercel,
    scenario: toScenario(WITH_PREVIEW),
    size: 10,
    bounds: {
      lateMs: 11 * SECOND_MS,
      longestMs: LIMITS_MS.vercel,
      previewLateMs: HOUR_MS + MINUTE_MS,
    },
  },
  {
    row: "S9-012",
    says: "Netlify: what a preview creates on production's database is run by production within a minute, and the preview does nothing",
    model: COST_MODELS.netlify,
    scenario: toScenario(WITH_PREVIEW),
    size: 10,
    bounds: {
      lateMs: 11 * SECOND_MS,
      longestMs: LIMITS_MS.netlify,
      previewLateMs: 66 * SECOND_MS,
    },
  },
  {
    row: "S9-012",
    says: "Deno: what a branch creates on production's database is run by production within a minute, and the branch does nothing",
    model: COST_MODELS.deno,
    scenario: toScenario(WITH_PREVIEW),
    size: 10,
    bounds: { lateMs: 11 * SECOND_MS, longestMs: Infinity, previewLateMs: 62 * SECOND_MS },
  },
];
