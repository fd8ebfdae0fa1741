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

What a workflow costs on each platform, at four loads and in an idle application. **Nothing here ran on a real cloud.** The
adapters' own code ran with its defaults under a virtual clock, and the platform around it is a model, with the assumptions
below. The counts are multiplied by prices of ${READ_ON}, which change. So read the figures as what an adapter asks of a
platform, not as the platform's bill.

The workflow is created over HTTP, has three steps of 50 ms and a sleep of 1 h, gets an event 5–15 min later, and ends.
Arrivals are random (Poisson) and seeded, so the same code gives the same figures. A trip to the database takes 5 ms. Where
rows are billed, the workflow writes ${rowsWritten} ([rows](rows.md)).

\`\`\`
npm run bench -- --cost                    a few minutes, without the highest load
npm run bench -- --cost --full --write     20 minutes; writes this page
\`\`\`

A test checks the counts, but not the prices (\`benchmarks/src/cost/cost.test.ts\`).

## What it costs

In US dollars, without the database, except on Cloudflare, where the database is the object's own. The price of a plan that you
have to buy is included, and so is the usage that the plan includes. AWS's free tiers are not, except that of EventBridge
Scheduler.`;

const AFTER_DOLLARS = `- **Vercel**: the usage only. The Pro seat is $20 and covers as much usage.
- **Netlify**: Pro, with credits bought one by one. They are sold in packs of 1,500, so the last pack may cost up to $10 more.
- **Node and Bun**: a small machine that also has the database. No price was found, so it is from memory.
- A separate **database** that never suspends costs $19.3 a month at Neon's smallest size (0.25 CU), plus storage.`;

const COUNTS = `## What was counted

Per workflow, including the two requests from outside.

- _Billed_: the time of all invocations; on Vercel, Cloudflare and Deno the time of instances that have any invocation.
- _At once_: mean and peak of what is billed at the same time.
- _Trips_: in brackets without the trips by which an idle application looks for work.
- _Armed_: messages, calls of itself, or alarms.
- _Late_, _waits_: 95th percentiles. A sleep is late from its due time to its code, an event from its request to its code. A
  message waits for a free function.

Arrivals are random, so a window has a few per cent more or fewer than its share.`;

const AFTER_COUNTS = `At 10 k a month, most of what is counted is the schedule of each minute or the poll of every 5 s. It costs next to nothing.`;

const IDLE = `## Idle, with 10 000 asleep

Per month. _Database awake_ is the share of the time that a database is awake if it suspends itself 5 minutes after the last
query. _Neon_ is the price of that (0.25 CU, without storage).`;

const AFTER_IDLE = `On Cloudflare, the object's own database is not billed by time. With the option \`blobs\` of Netlify, the schedule asks the
database once an hour, and with \`kv\` of Deno, the cron does ([Netlify](deploy/netlify.md), [Deno](deploy/deno.md)). The
database is then awake 8 % of the time there, too. These are options because every process that writes into the database must
have them.`;

const OTHERS = `## The same elsewhere

Computed from their prices and what they count; none of them was run. In dollars a month, as a range where the documents do not
say whether a start, a sleep or a wait counts.`;

const ASSUMED = `## What is assumed of each platform`;

const LEFT_OUT = `## What is left out

- Starts of sandboxes and instances, egress, logs, storage and autoscaling of the database, taxes, discounts.
- Retries, failures and failovers: nothing fails here.
- Steps that compute: 150 ms of CPU a workflow instead of waiting is $5.3 a million more on Vercel, $2.4 on Cloudflare.
- Prices that were not found: of a small machine, of Netlify Blobs, of Vercel Schedules, and newer ones for usage beyond a plan
  of Deno or of Inngest.`;
