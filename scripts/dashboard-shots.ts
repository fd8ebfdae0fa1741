/**
 * Takes the pictures of the dashboard that the documents show: each page at a desk's and a phone's width.
 *
 *   npx tsx scripts/dashboard-shots.ts            docs/images/dashboard/*.webp
 *   npx tsx scripts/dashboard-shots.ts <folder>   somewhere else, also in the dark, as PNG
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
      await page.getByRole("region", { name: "Table of places" }).scrollIntoViewIfNeeded();
      await page.getByRole("heading", { name: "Newest" }).scrollIntoViewIfNeeded();
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

const shop = await openShop();
const pages = await Pages.start(shop, { workflows: SHOP_WORKFLOWS });
mkdirSync(folder, { recursive: true });
let bytes = 0;
const schemes = given === undefined ? (["light"] as const) : (["light", "dark"] as const);
for (const scheme of schemes)
  for (const [size, context] of Object.entries(SIZES)) {
    const allow = ["start", "steer", "events", "payloads"] as const;
    const { page } = await pages.open("", allow, { ...context, colorScheme: scheme });
    for (const { name, path, prepare } of SHOTS) {
      await page.goto(`/dashboard${path}`);
      await page.waitForLoadState("networkidle");
      await prepare?.(page);
      await page.waitForTimeout(400);
      const png = await page.screenshot();
      const image = given === undefined ? await toWebp(page, png) : png;
      bytes += image.byteLength;
      const kind = given === undefined ? "webp" : "png";
      const suffix = scheme === "dark" ? "-dark" : "";
      writeFileSync(join(folder, `${name}-${size}${suffix}.${kind}`), image);
    }
  }
await pages.stop();
console.log(`${SHOTS.length} pages, ${Math.round(bytes / 1024)} KB, in ${folder}`);
