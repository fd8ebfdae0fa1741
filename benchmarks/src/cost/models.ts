/** The platforms, in the order of the page. */
import type { CostModel } from "./scene.ts";
import { AWS_LAMBDA } from "./models/aws-lambda.ts";
import { CLOUDFLARE } from "./models/cloudflare.ts";
import { DENO } from "./models/deno.ts";
import { NETLIFY } from "./models/netlify.ts";
import { BUN, NODE } from "./models/processes.ts";
import { VERCEL } from "./models/vercel.ts";

export type CostPlatform =
  | "awsLambda"
  | "vercel"
  | "netlify"
  | "cloudflare"
  | "deno"
  | "node"
  | "bun";

export const COST_MODELS: Readonly<Record<CostPlatform, CostModel>> = {
  awsLambda: AWS_LAMBDA,
  vercel: VERCEL,
  netlify: NETLIFY,
  cloudflare: CLOUDFLARE,
  deno: DENO,
  node: NODE,
  bun: BUN,
};

export const COST_PLATFORMS = Object.keys(COST_MODELS) as readonly CostPlatform[];
