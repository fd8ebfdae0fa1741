/** What the committed `deno.json` was written from; `app` and `org` are yours to change. */
import { type Deployment, deploy } from "@escapement/deno";

export const deployments: readonly Deployment[] = [
  deploy({
    target: "deno-deploy",
    app: "refunds",
    org: "acme",
    entry: "src/main.ts",
    migrateEntry: "src/migrate.ts",
    secretNames: [
      "API_TOKEN",
      "PAYOUT_URL",
      "DATABASE_URL",
      "DATABASE_TOKEN",
      "TICK_SIGNING_KEY",
      "TICK_URL",
    ],
  }),
];
