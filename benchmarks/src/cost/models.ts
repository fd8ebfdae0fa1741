/** What simulates each platform. */
import type { CostPlatform } from "./platforms.ts";
import type { CostModel } from "./scene.ts";
import { AWS_LAMBDA } from "./models/aws-lambda.ts";
import { CLOUDFLARE } from "./models/cloudflare.ts";
import { DENO } from "./models/deno.ts";
import { NETLIFY } from "./models/netlify.ts";
import { BUN, NODE } from "./models/processes.ts";
import { VERCEL } from "./models/vercel.ts";

export const COST_MODELS: Readonly<Record<CostPlatform, CostModel>> = {
  awsLambda: AWS_LAMBDA,
  vercel: VERCEL,
  netlify: NETLIFY,
  cloudflare: CLOUDFLARE,
  deno: DENO,
  node: NODE,
  bun: BUN,
};
