/**
 * Every deploy page, followed from an empty folder: its files, its lines, packed packages, the platform's own emulator. They take
 * minutes: each has every third day. All pages with ESCAPEMENT_PAGES=all.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
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
const DAY_MS = 86_400_000;
/** Which pages are played on one day; the tools of each day's first take longest to start. */
const DAYS: readonly (readonly PagePlatform[])[] = [
  [VERCEL, NODE],
  [NETLIFY, DENO, BUN],
  [CLOUDFLARE, AWS_LAMBDA],
];
const PLATFORMS = choosePlatforms(process.env["ESCAPEMENT_PAGES"], Date.now());
for (const { name, missing } of PLATFORMS)
  if (missing !== null) console.warn(`the page of ${name} SKIPPED: ${missing}`);

const cleanups: (() => unknown)[] = [];
const defer = (cleanup: () => unknown): void => void cleanups.push(cleanup);
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function choosePlatforms(wish: string | undefined, atMs: number): readonly PagePlatform[] {
  if (wish === "all") return DAYS.flat();
  return DAYS[Math.floor(atMs / DAY_MS) % DAYS.length] ?? [];
}

test("every page has its turn within three days", () => {
  const days = [0, 1, 2].flatMap((day) => choosePlatforms(undefined, day * DAY_MS));
  expect(new Set(days)).toEqual(new Set(choosePlatforms("all", 0)));
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
