/** The platforms, in the order of the page. */
export const COST_PLATFORMS = [
  "awsLambda",
  "vercel",
  "netlify",
  "cloudflare",
  "deno",
  "node",
  "bun",
] as const;
export type CostPlatform = (typeof COST_PLATFORMS)[number];
