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
import { COST_MODELS, COST_PLATFORMS } from "./models.ts";
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
    `## Prices\n\nRead on ${READ_ON} from copies of the day or month in the last column; none was read on the vendor's live page.`,
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

What a workflow costs on each platform, at four loads and idle. **Nothing here ran on a real cloud.** The adapters' own code ran
with their defaults under a virtual clock; the platform around each is a model, whose assumptions are below. What was counted is
multiplied by prices of ${READ_ON}, which change. Read it as what the adapter asks of a platform, not as a platform's bill.

The workflow: created over HTTP, three steps of 50 ms, a sleep of 1 h, an event 5–15 min later, end. Arrivals are random
(Poisson) and seeded: the same code gives the same figures. A trip to the database takes 5 ms. The workflow writes
${rowsWritten} rows where rows are billed ([rows](rows.md)).

\`\`\`
npm run bench -- --cost                    a few minutes, without the highest load
npm run bench -- --cost --full --write     20 minutes; writes this page
\`\`\`

A test holds the counts, not the prices (\`benchmarks/src/cost/cost.test.ts\`).

## What it costs

US dollars, without the database, except on Cloudflare, where it is the object's own. Plans that one must buy are counted, as are
what they include. AWS's free tiers are left out, but for EventBridge Scheduler's.`;

const AFTER_DOLLARS = `- **Vercel** is the usage. The seat of Pro is $20 and pays for as much of it.
- **Netlify** is Pro with credits bought to the credit; packs are of 1,500, so the last may cost up to $10 more.
- **Node and Bun** are a small machine that the database is on too, at a price that was not found and is recalled.
- A **database** beside it that never suspends is $19.3 a month at Neon's least (0.25 CU), and storage.`;

const COUNTS = `## What was counted

Per workflow, the two requests from outside included. _Billed_: the time of all invocations, or on Vercel, Cloudflare and Deno of
instances that are in any. _At once_: mean and peak of what is billed. _Trips_: in brackets without those by which the same
application looks for work when it is idle. _Armed_: messages, calls of itself, or alarms. _Late_, _waits_: 95th percentiles;
a sleep is late from its due time to its code, an event from its request to its code, and a message waits for a free function.
Arrivals are random, so a window holds some per cent more or fewer than its share.`;

const AFTER_COUNTS = `At 10 k a month a schedule or a poll that comes each minute or each 5 s is most of what is counted; it costs nothing to speak of.`;

const IDLE = `## Idle, with 10 000 asleep

A month. _Database awake_: the share of the time that a database is awake which suspends itself 5 minutes after the last query,
and what Neon asks for that (0.25 CU; storage is not in it).`;

const AFTER_IDLE = `The object's own database on Cloudflare is not billed for its time. With the option \`blobs\` Netlify's schedule asks the
database once an hour, and with \`kv\` Deno's cron does ([Netlify](deploy/netlify.md), [Deno](deploy/deno.md)); it is then awake 8 %
of the time as well. They are options because every process that writes into the database must have them.`;

const OTHERS = `## The same on others

By their prices and what they count; nothing of theirs was run. Dollars a month; a range where the documents do not say whether
a start, a sleep or a wait counts.`;

const ASSUMED = `## What is assumed of each platform`;

const LEFT_OUT = `## What is left out

- Starts of sandboxes and instances, egress, logs, the database's storage and autoscaling, taxes, discounts.
- Retries, failures and failovers: nothing fails here.
- Steps that compute: 150 ms of CPU a workflow instead of waiting is $5.3 a million more on Vercel, $2.4 on Cloudflare.
- Prices that were not found: a small machine's, Netlify Blobs', Vercel Schedules', and newer ones for what is more than a plan
  of Deno or of Inngest.`;
