import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withPublicEntries } from "../../scripts/public-entries.ts";
import { buildSite, BUILT_FOLDER, readBuiltPages } from "./built/build-site.ts";
import { missingChromium, startChromium } from "./built/chromium.ts";
import { readIds, readLinks, type SiteLink } from "./built/read-html.ts";
import { type FolderServer, serveFolder } from "./built/serve-folder.ts";
import { toPageName } from "./reference/page-name.ts";

let pages: ReadonlyMap<string, string> = new Map();

beforeAll(async () => {
  await buildSite();
  pages = readBuiltPages();
}, 180_000);

it("S8-017 every link of the built site leads to a page, and to a heading where it names one", () => {
  const ids = new Map([...pages].map(([path, html]) => [path, readIds(html)]));
  const links = [...pages].flatMap(([path, html]) => readLinks(path, html));
  expect(links.length).toBeGreaterThan(10_000);
  const leadsSomewhere = ({ path, id }: SiteLink): boolean =>
    id === "" ? ids.has(path) : ids.get(path)?.has(id) === true;
  const broken = links.filter((link) => !leadsSomewhere(link));
  expect(broken).toEqual([]);
});

it("S8-017 each error has an anchor on the page of all errors, and the page that it names itself", () => {
  const codes = [...pages.keys()].filter((path) => /^\/errors\/[A-Z_]+$/.test(path));
  expect(codes.length).toBeGreaterThan(50);
  const anchors = readIds(pages.get("/errors/") ?? "");
  expect(codes.filter((path) => !anchors.has(path.slice("/errors/".length)))).toEqual([]);
});

it("S8-017 the reference has every published name with its doc comment, and none is without", () => {
  const missing = withPublicEntries((entries) => {
    expect(entries.length).toBeGreaterThan(40);
    return entries.flatMap(({ specifier, names }) => {
      const ids = readIds(pages.get(`/reference/${toPageName(specifier)}`) ?? "");
      return names
        .filter(({ name, hoverText }) => hoverText === "" || !ids.has(name))
        .map(({ name }) => `${specifier}: ${name}`);
    });
  });
  expect(missing).toEqual([]);
});

const missing = missingChromium();
if (missing !== null) console.warn(`SKIPPED, the site in a browser: ${missing}`);

describe.skipIf(missing !== null)("in Chromium", () => {
  let browser: Browser | undefined;
  let server: FolderServer | undefined;

  beforeAll(async () => {
    server = await serveFolder(BUILT_FOLDER);
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Opens a page, and keeps what goes wrong on it. */
  async function open(path: string, width: number): Promise<{ page: Page; wrong: string[] }> {
    if (browser === undefined || server === undefined) throw new RangeError("nothing was started");
    const page = await browser.newPage({
      baseURL: server.url,
      viewport: { width, height: 800 },
      hasTouch: width < 600,
    });
    // A machine with many times more work than cores takes many times as long.
    page.setDefaultTimeout(100_000);
    const wrong: string[] = [];
    page.on("pageerror", ({ message }) => wrong.push(message));
    page.on("console", (said) => {
      if (["error", "warning"].includes(said.type())) wrong.push(said.text());
    });
    page.on("response", (response) => {
      if (response.status() >= 400) wrong.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(path, { waitUntil: "networkidle" });
    return { page, wrong };
  }

  describe.each([390, 1280])("%d pixels wide", (width) => {
    it.each(["/", "/quickstart", "/rules", "/errors/", "/reference/engine"])(
      "S8-017 %s fits into the window and says no error",
      async (path) => {
        const { page, wrong } = await open(path, width);
        const scroll = await page.evaluate("document.documentElement.scrollWidth");
        expect({ path, scroll, wrong }).toEqual({ path, scroll: width, wrong: [] });
        expect(await page.locator("h1").first().isVisible()).toBe(true);
        await page.close();
      },
    );

    it("S8-017 the search finds waitForEvent, and leads to a page about it", async () => {
      const { page, wrong } = await open("/", width);
      await page.locator("#local-search button").first().click();
      await page.locator("#localsearch-input").fill("waitForEvent");
      const first = page.locator("#localsearch-list a").first();
      expect((await first.getAttribute("href")) ?? "").toMatch(/^\/[a-z]/);
      await first.click();
      await page.waitForURL(/\/[a-z]/);
      await page.locator("main:has-text('waitForEvent')").first().waitFor();
      expect(wrong).toEqual([]);
      await page.close();
    });
  });
});
