/** What `vercel.json` was written from. On a paid plan say `plan: "pro"`: its cron may run more often than daily. */
import { type Deployment, deploy } from "@escapement/vercel";
import { DATABASE_SECRETS } from "./secrets.ts";

export const deployments: readonly Deployment[] = [
  deploy({
    plan: "hobby",
    entry: "src/app/api/workflows/[...path]/route.ts",
    wakeEntry: "src/app/api/wake/route.ts",
    topic: "escapement-app",
    secretNames: ["API_TOKEN", "CRON_SECRET", ...DATABASE_SECRETS],
  }),
];
