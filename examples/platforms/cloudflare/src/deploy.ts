/** What the committed `wrangler.jsonc` was written from. */
import { type Deployment, deploy } from "@escapement/cloudflare";

export const deployments: readonly Deployment[] = [
  deploy({
    name: "refunds",
    className: "Refunds",
    binding: "REFUNDS",
    secretNames: ["API_TOKEN", "PAYOUT_URL"],
  }),
];
