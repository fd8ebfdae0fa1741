/** Options from the environment of Vercel or `vercel dev`. */
import type { LeasedQueue } from "@escapement/engine/adapter";
import { type QueueOptions, vercelQueue } from "./vercel-queue.ts";

/**
 * Reads options from the environment: `createVercelPlatform({ ...fromEnv(process.env, { topic }), signals: process })`.
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export function fromEnv(
  env: Readonly<Record<string, string | undefined>>,
  { topic }: Required<Pick<QueueOptions, "topic">>,
): { readonly environment: string | undefined; readonly queue: LeasedQueue<Headers> } {
  return {
    environment: env["VERCEL_ENV"],
    // Only `vercel dev` sets the last two, for its own queue.
    queue: vercelQueue({
      topic,
      region: env["VERCEL_REGION"],
      token: env["VERCEL_QUEUE_TOKEN"],
      baseUrl: env["VERCEL_QUEUE_BASE_URL"],
    }),
  };
}
