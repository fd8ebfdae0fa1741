/**
 * Every deploy page, followed from an empty folder: its files, its lines, packed packages, the platform's own emulator. They take
 * minutes: each has its day of the four.
 */
import { ofToday } from "@escapement-internal/test-servers";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { AWS_LAMBDA } from "./pages/aws-lambda.ts";
import { BUN } from "./pages/bun.ts";
import { CLOUDFLARE } from "./pages/cloudflare.ts";
import { DENO } from "./pages/deno.ts";
import { NETLIFY } from "./pages/netlify.ts";
import { NODE } from "./pages/node.ts";
import { type PackageRegistry, servePackages } from "./pages/packages.ts";
import type { PagePlatform } from "./pages/platform.ts";
import { playOrder } from "./pages/play-order.ts";
import { makeProject } from "./pages/project.ts";
import { startShop } from "./pages/shop.ts";
import { VERCEL } from "./pages/vercel.ts";

const TOKEN = "token-of-these-tests-only";
/** Which pages are played on one day: those whose tools take long to start have one each. */
const DAYS: readonly (readonly PagePlatform[])[] = [
  [VERCEL],
  [NETLIFY],
  [CLOUDFLARE, AWS_LAMBDA],
  [NODE, DENO, BUN],
];
const PLATFORMS = ofToday(DAYS, 1).flat();
for (const { name, missing } of PLATFORMS)
  if (missing !== null) console.warn(`the page of ${name} SKIPPED: ${missing}`);

const cleanups: (() => unknown)[] = [];
const defer = (cleanup: () => unknown): void => void cleanups.push(cleanup);
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

let registry: PackageRegistry;
beforeAll(async () => {
  registry = await servePackages();
}, 600_000);
afterAll(() => registry.stop());

describe.each(PLATFORMS)("the page of $name", (platform) => {
  test.skipIf(platform.missing !== null)(
    "S5-050 whoever follows it from an empty folder has an order that outlives a kill, and an API that is closed",
    { timeout: 480_000 },
    async () => {
      const project = await makeProject(platform, registry);
      defer(() => project.remove());
      const shop = await startShop();
      defer(() => shop.stop());
      const start = await platform.open({ project, token: TOKEN, shopUrl: shop.url, defer });
      await playOrder({ shop, token: TOKEN, start });
    },
  );
});
