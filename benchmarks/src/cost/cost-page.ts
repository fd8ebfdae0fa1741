/** `docs/cost.md`: what was counted, at dated prices. */
import {
  type Counted,
  countTable,
  dollarTable,
  idleTable,
  lineTable,
  otherTable,
  priceTable,
  verdictTable,
} from "./cost-tables.ts";
import { COST_MODELS } from "./models.ts";
import { COST_PLATFORMS } from "./platforms.ts";
import { READ_ON } from "./price-list.ts";

export const renderCostPage = (counted: Counted): string =>
  [
    toIntroduction(counted.rowsWritten),
    dollarTable(counted),
    AFTER_DOLLARS,
    verdictTable(counted),
    "## Where it goes",
    lineTable(counted),
    COUNTS,
    countTable(counted),
    AFTER_COUNTS,
    IDLE,
    idleTable(counted),
    AFTER_IDLE,
    OTHERS,
    otherTable(),
    `${ASSUMED}\n\n${toAssumptions()}`,
    LEFT_OUT,
    `## Prices\n\nRead on ${READ_ON} from copies, whose date is in the last column. None was read on the vendor's live page.`,
    priceTable(),
  ]
    .join("\n\n")
    .concat("\n");

const toAssumptions = (): string =>
  COST_PLATFORMS.map((name) => {
    const { says, assumes } = COST_MODELS[name];
    return [`- **${says}**`, ...assumes.map((text) => `  - ${text}`)].join("\n");
  }).join("\n");

const toIntroduction = (rowsWritten: number): string => `# Cost

What does a month of workflows cost you, and on which platform is it cheapest? This page compares the platforms at four loads,
from 10,000 to 3 million workflows a month, and in an idle application.

**Nothing here ran on a real cloud.** The adapters' own code ran with its defaults under a virtual clock. The platform around
it is a model, with [these assumptions](#what-is-assumed-of-each-platform). The counts are multiplied by prices of ${READ_ON},
which change. So the figures show what an adapter asks of a platform. They are not the platform's bill.

The workflow is created over HTTP, has three steps of 50 ms and a sleep of 1 h, gets an event 5–15 min later, and ends.
Arrivals are random (Poisson) and seeded, so the same code gives the same figures. A trip to the database takes 5 ms. Where
rows are billed, the workflow writes ${rowsWritten} ([rows](rows.md)).

\`\`\`
npm run bench -- --cost                    a few minutes, without the highest load
npm run bench -- --cost --full --write     20 minutes; writes this page
\`\`\`

A test checks the counts, but not the prices (\`benchmarks/src/cost/cost.test.ts\`).

## What it costs

In US dollars, for 10 k to 3 M workflows a month. The database is not included, except on Cloudflare, where it is the object's
own. If you have to buy a plan, its price is included, and the usage that it covers is free. AWS's free tiers are left out,
except that of EventBridge Scheduler.`;

const AFTER_DOLLARS = `- **Vercel**: the usage only. The Pro seat is $20 and covers as much usage.
- **Netlify**: Pro, with credits bought one by one. They are sold in packs of 1,500, so the last pack may cost up to $10 more.
- **Node and Bun**: a small machine that also runs the database. No price was found, so this one is an estimate.
- A separate **database** that never suspends costs $19.3 a month at Neon's smallest size (0.25 CU), plus storage.`;

const COUNTS = `## What was counted

Per workflow, including the two requests from outside.

- _Billed_: the time of all invocations. On Vercel, Cloudflare and Deno, it is the time in which an instance of the platform has
  at least one invocation.
- _At once_: how many of these are billed at the same time, mean and peak.
- _Trips_: requests to the database. In brackets: without those with which an idle application looks for work.
- _Armed_: wakes that were requested: messages, calls of itself, or alarms.
- _Late_, _waits_: 95th percentiles. The lateness of a sleep is the time from its due time until its code runs, that of an event
  the time from its request until its code runs. A message waits for a free function.

Arrivals are random, so the time that was simulated has a few per cent more or fewer of them than its share.`;

const AFTER_COUNTS = `At 10 k a month, most of what is counted comes from the schedule, which runs each minute, or from the poll every 5 s. It costs
next to nothing.`;

const IDLE = `## Idle, with 10 000 asleep

Per month. _Database awake_ is the share of the time that a database is awake if it suspends itself 5 minutes after the last
query. _Neon_ is the price of that (0.25 CU, without storage).`;

const AFTER_IDLE = `On Cloudflare, the object's own database is not billed by time. With the option \`blobs\` on Netlify or \`kv\` on Deno, the
schedule or cron asks the database only once an hour ([Netlify](deploy/netlify.md), [Deno](deploy/deno.md)). The database is
then awake 8 % of the time there, too. They are off by default, because every process that writes into the database must have
them.`;

const OTHERS = `## The same elsewhere

What the same workflow costs with other engines, in dollars a month. This is computed from their prices and from what they count;
none of them was run. It is a range where their documents do not say whether a start, a sleep or a wait counts.`;

const ASSUMED = `## What is assumed of each platform`;

const LEFT_OUT = `## What is left out

- Starts of sandboxes and instances, egress, logs, storage and autoscaling of the database, taxes, discounts.
- Retries, failures and failovers: nothing fails here.
- Steps that compute: 150 ms of CPU a workflow instead of waiting is $5.3 a million more on Vercel, $2.4 on Cloudflare.
- Prices that were not found: of a small machine, of Netlify Blobs, of Vercel Schedules, and newer ones for usage beyond a plan
  of Deno or of Inngest.`;
