/** The platforms' examples, and beside each the least Hono application that the platform takes. */
import { fileURLToPath } from "node:url";
import type { BuildOptions } from "esbuild";

export type PlatformName =
  | "node"
  | "bun"
  | "deno"
  | "awsLambda"
  | "vercel"
  | "netlify"
  | "cloudflare";

export interface PlatformRow {
  readonly says: string;
  /** Of the example, below `examples/platforms`. */
  readonly entry: string;
  /** The bare application: answers one GET. */
  readonly bare: string;
  /** Which runtime starts it here. Functions and Workers are imported by Node: V8 is theirs too. */
  readonly runtime: "node" | "bun" | "deno";
  /** A server says by itself that it listens; a function only has to be imported. */
  readonly isServer: boolean;
  readonly bundling: Pick<BuildOptions, "platform" | "conditions" | "external">;
}

const APP = `import { Hono } from "hono";
const app = new Hono().get("/", (c) => c.text("hello"));
`;
const NODE_LIKE: PlatformRow["bundling"] = { platform: "node", external: ["libsql"] };
const WEB_LIKE: PlatformRow["bundling"] = { platform: "neutral", external: ["node:*", "bun:*"] };

export const PLATFORM_ROWS: Readonly<Record<PlatformName, PlatformRow>> = {
  node: {
    says: "Node (native libSQL driver beside the bundle)",
    entry: "node/src/main.ts",
    bare: `${APP}import { serve } from "@hono/node-server";
serve({ fetch: app.fetch, port: 0 }, () => console.log("listening"));`,
    runtime: "node",
    isServer: true,
    bundling: NODE_LIKE,
  },
  bun: {
    says: "Bun",
    entry: "bun/src/main.ts",
    bare: `${APP}Bun.serve({ port: 0, fetch: app.fetch });
console.log("listening");`,
    runtime: "bun",
    isServer: true,
    bundling: WEB_LIKE,
  },
  deno: {
    says: "Deno",
    entry: "deno/src/main.ts",
    bare: `${APP}Deno.serve(app.fetch);`,
    runtime: "deno",
    isServer: true,
    bundling: WEB_LIKE,
  },
  awsLambda: {
    says: "AWS Lambda (the AWS SDK is the runtime's)",
    entry: "aws-lambda/src/main.ts",
    bare: `${APP}import { handle } from "hono/aws-lambda";
export const handler = handle(app);`,
    runtime: "node",
    isServer: false,
    bundling: { platform: "node", external: ["@aws-sdk/*"] },
  },
  vercel: {
    says: "Vercel, Node function",
    entry: "vercel/api/workflows.ts",
    bare: `${APP}import { handle } from "hono/vercel";
export const GET = handle(app);`,
    runtime: "node",
    isServer: false,
    bundling: NODE_LIKE,
  },
  netlify: {
    says: "Netlify, function for HTTP",
    entry: "netlify/src/functions/workflows.ts",
    bare: `${APP}import { handle } from "hono/netlify";
export default handle(app);`,
    runtime: "node",
    isServer: false,
    bundling: NODE_LIKE,
  },
  cloudflare: {
    says: "Cloudflare Worker with its Durable Object",
    entry: "cloudflare/src/main.ts",
    bare: `${APP}export default app;`,
    runtime: "node",
    isServer: false,
    bundling: {
      platform: "neutral",
      conditions: ["workerd", "worker", "browser"],
      external: ["node:*"],
    },
  },
};

export const EXAMPLES: string = fileURLToPath(
  new URL("../../../examples/platforms/", import.meta.url),
);

/** What the examples ask for; nothing is connected to when they are loaded, but for Node's and Bun's own file. */
export const exampleEnv = (directory: string): Readonly<Record<string, string>> => ({
  API_TOKEN: "a-token-of-more-than-24-bytes",
  CRON_SECRET: "a-cron-secret-of-more-than-24-bytes",
  DATABASE_FILE: `${directory}/bun.db`,
  DATABASE_TOKEN: "a-token",
  DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0",
  ESCAPEMENT_NAMESPACE: "refunds",
  ESCAPEMENT_QUEUE_ARN: "arn:aws:sqs:eu-central-1:123456789012:wakes",
  ESCAPEMENT_QUEUE_URL: "https://sqs.eu-central-1.amazonaws.com/123456789012/wakes",
  ESCAPEMENT_SCHEDULE_GROUP: "refunds",
  ESCAPEMENT_SCHEDULE_ROLE_ARN: "arn:aws:iam::123456789012:role/wakes",
  PAYOUT_URL: "https://payouts.acme.dev/",
  PORT: "0",
  TICK_SIGNING_KEY: "a-signing-key-of-more-than-24-bytes",
  URL: "https://app.netlify.app",
});
