/** What `deno.json` was written from; `org` is yours to change. */
import { type Deployment, deploy } from "@escapement/deno";
import { DATABASE_SECRETS } from "./secrets.ts";

export const deployments: readonly Deployment[] = [
  deploy({
    target: "deno-deploy",
    app: "escapement-app",
    org: "acme",
    entry: "src/main.ts",
    migrateEntry: "src/migrate.ts",
    secretNames: ["API_TOKEN", "TICK_SIGNING_KEY", "TICK_URL", ...DATABASE_SECRETS],
  }),
];
