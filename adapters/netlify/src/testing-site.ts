/** For the adapter's tests: a site, and calls of its functions. */
import { createNetlifyPlatform, type NetlifyFunction, type NetlifyPlatform } from "./index.ts";
import type { NetlifyPlatformOptions } from "./platform.ts";

export const SIGNING_KEYS = ["background-key-of-more-than-24-bytes"];
export const PATH = "/.netlify/functions/workflows-background";
export const PREVIEW = { deploy: { context: "deploy-preview" } };
export const SITE = "https://orders.test";

/** Invokes a function and waits until the invocation has ended. */
export async function invoke(
  run: NetlifyFunction,
  request: Request,
  context: object = {},
): Promise<Response> {
  const waits: Promise<unknown>[] = [];
  const answer = await run(request, { ...context, waitUntil: (work) => void waits.push(work) });
  await Promise.all(waits);
  return answer;
}

export const openPlatform = (options: Partial<NetlifyPlatformOptions> = {}): NetlifyPlatform =>
  createNetlifyPlatform({ signingKeys: SIGNING_KEYS, siteUrl: SITE, ...options });
