/** What `wrangler.jsonc` was written from. */
import { type Deployment, deploy } from "@escapement/cloudflare";
import { DATABASE } from "./database.ts";

export const deployments: readonly Deployment[] = [
  deploy({
    name: "escapement-app",
    className: "Workflows",
    secretNames: ["API_TOKEN"],
    ...DATABASE,
  }),
];
