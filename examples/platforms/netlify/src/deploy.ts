/** What the committed `netlify.toml` was written from. */
import { type Deployment, deploy } from "@escapement/netlify";

export const deployments: readonly Deployment[] = [
  deploy({
    functionsDirectory: "src/functions",
    buildCommand: "npm run migrate",
    secretNames: ["API_TOKEN", "PAYOUT_URL", "DATABASE_URL", "DATABASE_TOKEN", "TICK_SIGNING_KEY"],
  }),
];
