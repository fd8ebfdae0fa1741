/**
 * The engine in the frameworks that build an application: built from the page's files, served, and killed amid a step. One
 * of them each day.
 */
import { createPostgresDatabase, ofToday } from "@escapement-internal/test-servers";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { type PackageRegistry, servePackages } from "../pages/packages.ts";
import { playOrder } from "../pages/play-order.ts";
import { startShop } from "../pages/shop.ts";
import { buildApp, makeWorkspace, type Workspace } from "./built-app.ts";
import { FRAMEWORKS, missingFrameworks } from "./framework.ts";

const TOKEN = "token-of-these-tests-only";
const missing = missingFrameworks();
if (missing !== null) console.warn(`web frameworks SKIPPED: ${missing}`);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe.skipIf(missing !== null)("behind a framework", () => {
  let registry: PackageRegistry;
  let workspace: Workspace;
  beforeAll(async () => {
    registry = await servePackages();
    workspace = await makeWorkspace(registry);
  }, 600_000);
  afterAll(() => {
    workspace.remove();
    registry.stop();
  });

  test.each(ofToday(FRAMEWORKS, 1))(
    "S5-049 $heading: built without the application's variables, it serves an order that outlives a kill, to who has the token",
    { timeout: 240_000 },
    async (framework) => {
      const database = await createPostgresDatabase();
      cleanups.push(() => database.drop());
      const shop = await startShop();
      cleanups.push(() => shop.stop());
      const env = { API_TOKEN: TOKEN, DATABASE_URL: database.url, SHOP_URL: shop.url };
      const start = await buildApp(framework, workspace, env);
      await playOrder({ shop, token: TOKEN, start });
    },
  );
});
