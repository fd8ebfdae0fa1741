/**
 * Takes the pictures of the dashboard that the documents show: each page at a desk's and a phone's width, and those of the walk-through
 * of a broken deploy.
 *
 *   npx tsx scripts/dashboard-shots.ts            docs/images/dashboard/*.webp
 *   npx tsx scripts/dashboard-shots.ts <folder>   somewhere else, also in the dark, as PNG
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEngine, type Engine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { mendedOrder } from "../examples/broken-deploy/src/mended.ts";
import { deployBroken } from "../examples/broken-deploy/src/story.ts";
import { Pages } from "../packages/dashboard/src/testing-page.ts";
import { openShop, SHOP_WORKFLOWS } from "../packages/dashboard/src/testing-shop-scene.ts";
import { ROOT } from "./project-files.ts";

type Page = Awaited<ReturnType<Pages["open"]>>["page"];

const [given] = process.argv.slice(2);
const folder = given ?? join(ROOT, "docs/images/dashboard");
const SIZES = {
  desk: { viewport: { width: 1180, height: 760 } },
  phone: { viewport: { width: 390, height: 780 }, deviceScaleFactor: 1.5 },
} as const;

interface Shot {
  readonly name: string;
  readonly path: string;
  /** What is done before the picture is taken. */
  readonly prepare?: (page: Page) => Promise<void>;
}

const FAILED = "order-1043";
const SHOTS: readonly Shot[] = [
  { name: "overview", path: "" },
  { name: "instances", path: "/instances?workflow=order&status=errored" },
  {
    name: "instance",
    path: "/instances/order/order-1041",
    prepare: (page) => page.getByRole("button", { name: /^charge card/ }).click(),
  },
  { name: "failed", path: `/instances/order/${FAILED}` },
  { name: "compare", path: `/diff/order?left=${FAILED}&right=order-1041` },
  {
    name: "workflow",
    path: "/workflows/order",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Read their histories" }).click();
      await page.getByRole("region", { name: "Table of places" }).waitFor();
      await page
        .getByRole("heading", { name: "Places" })
        .evaluate((heading) => heading.scrollIntoView());
    },
  },
  { name: "workflows", path: "/workflows" },
  { name: "topics", path: "/topics?topic=restocked" },
  { name: "callbacks", path: "/callbacks" },
  { name: "runners", path: "/runners" },
  { name: "jobs", path: "/jobs" },
  { name: "job", path: "/jobs/watches" },
  {
    name: "start",
    path: "/workflows/order",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Start…" }).click();
      await page.getByLabel("sku").fill("tea");
    },
  },
];

/** Chromium writes WebP itself: no image library is needed. */
async function toWebp(page: Page, png: Buffer): Promise<Buffer> {
  const blank = await page.context().newPage();
  const url = await blank.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.82);
  }, png.toString("base64"));
  await blank.close();
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

/** What has yet to be run, as a process that stays would. */
async function drive(engine: Pick<Engine, "tick">): Promise<void> {
  for (let isBusy = true; isBusy;) isBusy = (await engine.tick()).processed > 0;
}

/** The walk-through of `docs/guides/broken-deploy.md`, by what its example has stored. */
async function openBrokenDeploy(): Promise<Engine> {
  const store = createMemoryStore();
  await deployBroken(store);
  const workflows = { ORDER: mendedOrder };
  return createEngine({ workflows, store, bulk: true, logger: { log: () => undefined } });
}

const LIST = "/instances?workflow=order&status=errored";
const toBrokenShots = (engine: Engine): readonly Shot[] => [
  { name: "broken-overview", path: "" },
  { name: "broken-list", path: LIST },
  {
    name: "broken-instance",
    path: "/instances/order/order-992",
    prepare: (page) => page.getByRole("button", { name: /^price/ }).click(),
  },
  { name: "broken-compare", path: "/diff/order?left=order-992&right=order-999" },
  {
    name: "broken-bulk",
    path: LIST,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Apply to all that match…" }).click();
      await page.getByText("It would be done to 300.").waitFor();
    },
  },
  {
    name: "broken-job",
    path: "/jobs",
    prepare: async (page) => {
      await engine.startBulk({
        act: "retry",
        workflows: ["order"],
        status: ["errored"],
        id: "mend",
      });
      await drive(engine);
      await page.goto("/dashboard/jobs/mend");
      await page.getByText("300 of 300").waitFor();
    },
  },
  { name: "broken-mended", path: "" },
];

const SCENES = [
  {
    open: openShop,
    workflows: SHOP_WORKFLOWS,
    toShots: () => SHOTS,
    sizes: ["desk", "phone"],
    hasDark: true,
  },
  {
    open: openBrokenDeploy,
    workflows: {},
    toShots: toBrokenShots,
    sizes: ["desk"],
    hasDark: false,
  },
] as const;

const allow = ["start", "steer", "events", "payloads"] as const;
const schemes = given === undefined ? (["light"] as const) : (["light", "dark"] as const);
const kind = given === undefined ? "webp" : "png";
mkdirSync(folder, { recursive: true });
let bytes = 0;
let count = 0;

/** Until all that the page asked for at first is there: one that asks again and again need never be idle. */
async function show(page: Page, { path, prepare }: Shot): Promise<void> {
  await page.goto(`/dashboard${path}`);
  await page.locator("h1").waitFor();
  const asked = page.getByText(/^(Looking|Reading both)…$/);
  await asked.first().waitFor({ state: "detached" });
  await prepare?.(page);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

async function take(page: Page, shot: Shot, suffix: string): Promise<void> {
  // A browser under load may lose a page once.
  await show(page, shot).catch(() => show(page, shot));
  await page.waitForTimeout(400);
  const png = await page.screenshot();
  const image = given === undefined ? await toWebp(page, png) : png;
  bytes += image.byteLength;
  count += 1;
  writeFileSync(join(folder, `${shot.name}-${suffix}.${kind}`), image);
}

for (const { open, workflows, toShots, sizes, hasDark } of SCENES) {
  const engine = await open();
  const pages = await Pages.start(engine, { workflows });
  try {
    for (const scheme of hasDark ? schemes : (["light"] as const))
      for (const size of sizes) {
        const { page } = await pages.open("", allow, { ...SIZES[size], colorScheme: scheme });
        for (const shot of toShots(engine))
          await take(page, shot, `${size}${scheme === "dark" ? "-dark" : ""}`);
      }
  } finally {
    await pages.stop();
  }
}
console.log(`${count} pictures, ${Math.round(bytes / 1024)} KB, in ${folder}`);
