/** What `netlify.toml` was written from. */
import { type Deployment, deploy } from "@escapement/netlify";
import { DATABASE_SECRETS } from "./secrets.ts";

export const deployments: readonly Deployment[] = [
  deploy({
    functionsDirectory: "src/functions",
    buildCommand: "npm run migrate",
    secretNames: ["API_TOKEN", "TICK_SIGNING_KEY", ...DATABASE_SECRETS],
  }),
];
