import { ofToday } from "@escapement-internal/test-servers";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingBrowser } from "./testing-browser.ts";
import { HOSTILE_FORM, HOSTILE_NAME, openHostileScene } from "./testing-hostile-scene.ts";
import { Pages } from "./testing-page.ts";
import { HOSTILE } from "./testing-scene.ts";

const skip = missingBrowser();
if (skip !== null) console.warn(`SKIPPED, hostile texts in a browser: ${skip}`);

const WORKFLOW = encodeURIComponent(HOSTILE_NAME);
const TEXT = encodeURIComponent(HOSTILE);
const PATHS = [
  "",
  `/instances?workflow=${WORKFLOW}&tag=${TEXT}&prefix=${TEXT}&code=${TEXT}&status=errored`,
  `/instances?cursor=${TEXT}`,
  `/instances/${WORKFLOW}/waits`,
  `/instances/${WORKFLOW}/failed`,
  `/instances/${TEXT}/${TEXT}`,
  `/diff/${WORKFLOW}?left=waits&right=failed`,
  `/diff/${TEXT}?left=${TEXT}&right=${TEXT}&leftRun=${TEXT}`,
  "/workflows",
  `/workflows/${WORKFLOW}`,
  `/workflows/${TEXT}`,
  `/topics?topic=${TEXT}`,
  "/callbacks",
  `/callbacks?workflow=${TEXT}&cursor=${TEXT}`,
  `/callbacks?workflow=${WORKFLOW}`,
  "/runners",
  `/${TEXT}`,
  `/instances#${TEXT}`,
  `/search?q=${TEXT}`,
  "/search?q=img",
];

/** A button that shows a value hides it after that. Going from the last to the first, the others keep their positions. */
async function showAll(page: Page): Promise<void> {
  const buttons = await page.getByRole("button", { name: /^Show / }).all();
  for (const button of buttons.toReversed()) await button.click();
}

describe.skipIf(skip !== null)("texts of others", () => {
  let pages: Pages | undefined;

  beforeAll(async () => {
    pages = await Pages.start(await openHostileScene(), { workflows: { ATTACK: HOSTILE_FORM } });
  });
  afterAll(() => pages?.stop());

  test.each([...ofToday(PATHS, 7)])("stay texts on the page %s", async (path) => {
    const opened = await pages?.open(path, ["start", "steer", "events", "delete", "payloads"]);
    if (opened === undefined) throw new RangeError("no browser was started");
    const { page, url, asked } = opened;
    await page.locator("h1").first().waitFor();
    await page.waitForLoadState("networkidle");
    for (const button of await page.getByRole("button", { name: /^(Read|Compare)/ }).all())
      await button.click();
    await page.waitForLoadState("networkidle");
    // Its name ends like that of a question, and it disappears by itself.
    await page.getByRole("button", { name: "Reading…" }).waitFor({ state: "detached" });
    await showAll(page);
    for (const step of await page.locator("button.step").all()) await step.click();
    await showAll(page);
    for (const summary of await page.locator("summary").all()) await summary.click();
    for (const question of await page.getByRole("button", { name: "…" }).all()) {
      await question.click();
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    expect(await page.locator("img, iframe, object, base, #app script").count()).toBe(0);
    expect(await page.locator("[onerror], [href^='javascript:']").count()).toBe(0);
    expect(await page.title()).not.toBe("taken");
    expect(asked.filter((to) => !to.startsWith(url) && !to.startsWith("data:"))).toEqual([]);
  });
});
