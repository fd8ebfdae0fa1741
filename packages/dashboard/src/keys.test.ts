import type { Engine } from "@escapement/engine";
import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingBrowser } from "./testing-browser.ts";
import { findBarriers, type OpenedPage, Pages } from "./testing-page.ts";
import { openScene } from "./testing-scene.ts";

const skip = missingBrowser();
if (skip !== null) console.warn(`SKIPPED, keys in a browser: ${skip}`);

describe.skipIf(skip !== null)("keys and a phone's width, in Chromium", () => {
  let engine: Engine;
  let pages: Pages | undefined;

  beforeAll(async () => {
    engine = await openScene(20);
    pages = await Pages.start(engine);
  });
  afterAll(() => pages?.stop());

  const open = (path: string, context: BrowserContextOptions = {}): Promise<OpenedPage> => {
    if (pages === undefined) throw new RangeError("no browser was started");
    return pages.open(path, [], { bypassCSP: true, ...context });
  };

  const focused = (page: OpenedPage["page"]): Promise<string> =>
    page.evaluate(() => document.activeElement?.textContent ?? "");

  test("S8-007 keys are told by one, lead to pages, to the search and along a list, and can be turned off", async () => {
    const { page, wrong } = await open("");
    await page.getByRole("region", { name: "Kinds of failures" }).waitFor();
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keys" });
    await dialog.getByText("search", { exact: true }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("3");
    await page.getByRole("heading", { name: "Workflows", level: 1 }).waitFor();
    await page.keyboard.press("/");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("name")))
      .toBe("q");
    await page.keyboard.type("3?/");
    expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("3?/");
    await page
      .getByRole("navigation", { name: "Pages", exact: true })
      .getByText("Instances")
      .click();
    await page.getByRole("link", { name: "order-waits" }).waitFor();
    await page.getByRole("button", { name: "Find" }).focus();
    const ids = await page.locator("main td a.id").allTextContents();
    expect(ids.length).toBeGreaterThan(1);
    for (const [key, expected] of [
      ["j", ids[0]],
      ["j", ids[1]],
      ["k", ids[0]],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused(page)).toBe(expected);
    }
    await page.getByRole("button", { name: "Keys" }).click();
    await dialog.getByRole("checkbox").uncheck();
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("1");
    await page.keyboard.press("?");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch(/^Instances/);
    expect(await dialog.count()).toBe(0);
    expect(wrong).toEqual([]);
  });

  test("a key that comes before the browser has taken the focus out of a closed dialog is heard", async () => {
    const { page } = await open("");
    await page.getByRole("region", { name: "Kinds of failures" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByRole("checkbox").focus();
    await page.evaluate(() => {
      const box = document.querySelector("dialog input");
      document.querySelector("dialog")?.close();
      box?.dispatchEvent(new KeyboardEvent("keydown", { key: "3", bubbles: true }));
    });
    await page.getByRole("heading", { name: "Workflows", level: 1 }).waitFor();
  });

  test("S8-007 on a phone every page is in the navigation, nothing is cut off, and nothing makes the page scroll sideways", async () => {
    const phone = { viewport: { width: 390, height: 780 } };
    const { page } = await open("", phone);
    await page.getByRole("region", { name: "Kinds of failures" }).waitFor();
    const links = page.getByRole("navigation", { name: "Pages", exact: true }).getByRole("link");
    const places = await links.evaluateAll((all) =>
      all.map((link) => link.getBoundingClientRect()).map(({ left, right }) => ({ left, right })),
    );
    expect(places.length).toBeGreaterThan(5);
    for (const { left, right } of places) {
      expect(left).toBeGreaterThanOrEqual(0);
      expect(right).toBeLessThanOrEqual(390);
    }
    for (const path of ["", "/workflows", "/instances", "/diff/order?left=order-waits"]) {
      await page.goto(`/dashboard${path}`);
      await page.getByRole("region").first().waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      const cut = page.locator(".scroll");
      expect(
        await cut.evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth)),
      ).toEqual(Array.from({ length: await cut.count() }, () => 0));
      expect(await findBarriers(page)).toEqual([]);
    }
  });
});
