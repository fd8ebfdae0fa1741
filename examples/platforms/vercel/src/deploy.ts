/** What the committed `vercel.json` was written from. */
import { type Deployment, deploy } from "@escapement/vercel";

export const deployments: readonly Deployment[] = [
  deploy({
    plan: "pro",
    wakeEntry: "api/wake.ts",
    topic: "refunds",
    secretNames: ["API_TOKEN", "PAYOUT_URL", "CRON_SECRET", "DATABASE_URL", "DATABASE_TOKEN"],
  }),
];
