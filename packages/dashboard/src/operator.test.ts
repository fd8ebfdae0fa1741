/** What failed, why, and what to do: found from the overview within a minute. */
import type { Engine } from "@escapement/engine";
import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DashboardOptions } from "./options.ts";
import { drive, FAILED, openBrokenScene, RETRIED } from "./testing-broken-scene.ts";
import { missingBrowser } from "./testing-browser.ts";
import { findBarriers, type OpenedPage, Pages } from "./testing-page.ts";

const skip = missingBrowser();
if (skip !== null) console.warn(`SKIPPED, an operator's minute in a browser: ${skip}`);

const DESK = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 } };

describe.skipIf(skip !== null)("an operator's minute, in Chromium", () => {
  let engine: Engine;
  let pages: Pages | undefined;

  beforeAll(async () => {
    engine = await openBrokenScene();
    pages = await Pages.start(engine);
  });
  afterAll(() => pages?.stop());

  const open = (
    path: string,
    allow: DashboardOptions["allow"] = ["steer", "payloads"],
    context: BrowserContextOptions = DESK,
  ): Promise<OpenedPage> => {
    if (pages === undefined) throw new RangeError("no browser was started");
    return pages.open(path, allow, { bypassCSP: true, ...context });
  };

  test("S8-008 the overview begins with what failed, and leads to one beside a good one, and to all of them", async () => {
    const { page, wrong } = await open("");
    const kinds = page.getByRole("region", { name: "Kinds of failures" });
    const row = kinds.getByRole("row", { name: /^100\+ STEP_FAILED no "percent" of undefined/ });
    await row.waitFor();
    const end = await row.evaluate((element) => element.getBoundingClientRect().bottom);
    expect(end).toBeLessThan(DESK.viewport.height);
    await row.getByRole("link", { name: /^Compare order-/ }).click();
    await page.getByText("They diverge at price: status, error.").waitFor();
    await page.goBack();
    await row.getByRole("link", { name: "100+" }).click();
    await page.waitForURL("**/instances?workflow=order&status=errored&code=STEP_FAILED");
    await page.getByRole("heading", { name: `Instances ${FAILED}` }).waitFor();
    await page.getByRole("button", { name: "Apply to all that match…" }).click();
    await page.getByText(`It would be done to ${FAILED}.`).waitFor();
    expect(wrong).toEqual([]);
  });

  test("an instance that failed says its error once, and what to do", async () => {
    const { page } = await open("/instances/order/order-2");
    await page.getByText("Fix the cause, then retry it").waitFor();
    const said = page.getByText(`no "percent" of undefined`).filter({ visible: true });
    expect(await said.count()).toBe(1);
    expect(await page.content()).not.toContain(String.raw`\"percent`);
    await page.getByText("Queue time").waitFor();
    await page.getByRole("button", { name: "Show the step that failed: price" }).click();
    await page.getByRole("region", { name: "Step price" }).waitFor();
    await page.getByRole("link", { name: "Others that failed so" }).click();
    await page.waitForURL("**/instances?workflow=order&status=errored&code=STEP_FAILED");
    await page.getByRole("heading", { name: `Instances ${FAILED}` }).waitFor();
  });

  test("one that failed is retried from a step with the keys it had, and only one that failed", async () => {
    const { page, wrong } = await open("/instances/order/order-4?step=reserve", ["steer"]);
    await page.getByRole("button", { name: "Rewind to this step…" }).click();
    await page.getByRole("dialog").getByText("with new idempotency keys").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Retry from this step…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("goes back to the step reserve").waitFor();
    await dialog.getByText("with the same idempotency keys").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const sent = page.waitForRequest((request) => request.method() === "POST");
    await dialog.getByRole("button", { name: "Retry" }).click();
    expect(new URL((await sent).url()).search).toBe("?ifRunNumber=1&from=reserve");
    await dialog.waitFor({ state: "detached" });
    const { steps } = await engine.listHistory("order", "order-4", {});
    expect(steps.map(({ stepKey }) => stepKey)).toEqual([]);
    await page.getByRole("button", { name: "Pause…" }).waitFor();
    expect(wrong).toEqual([]);
    await drive(engine);
    await page.goto("/dashboard/instances/report/report-1?step=row 1");
    await page.getByRole("button", { name: "Rewind to this step…" }).waitFor();
    expect(await page.getByRole("button", { name: "Retry from this step…" }).count()).toBe(0);
  });

  test("a step that was chosen is in the address, which can be copied", async () => {
    const { page } = await open("/instances/order/order-2?run=1", ["steer"], {
      ...DESK,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByRole("button", { name: /^price do, errored/ }).click();
    await page.waitForURL("**/order-2?run=1&step=price");
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
    await page.reload();
    const details = page.getByRole("region", { name: "Step price" });
    await details.getByRole("button", { name: "Close" }).click();
    await page.waitForURL("**/order-2?run=1");
    await details.waitFor({ state: "detached" });
  });

  const find = async (page: OpenedPage["page"], text: string): Promise<void> => {
    await page.getByRole("searchbox", { name: "Search" }).fill(text);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: `Search ${text}`, exact: true }).waitFor();
  };

  test("one box finds by id, tag and workflow, and says when there is nothing", async () => {
    const { page, wrong } = await open("/topics");
    const hits = (name: string) => page.getByRole("region", { name, exact: true });
    await find(page, "order-1");
    // The one with exactly this id comes before those that merely begin with it.
    const ids = hits("Ids that begin with it").locator("td a.id");
    await ids.first().waitFor();
    expect(await ids.first().textContent()).toBe("order-1");
    await find(page, "vip");
    await hits("Tagged with it").getByRole("link", { name: "order-3", exact: true }).waitFor();
    await find(page, "epor");
    await hits("Workflows").getByRole("link", { name: "report" }).waitFor();
    expect(wrong).toEqual([]);
    await find(page, `${"x".repeat(180)} "><`);
    await page.getByText(/^No workflow has it in its name/).waitFor();
  });

  test("the same box finds errors, by code and by message", async () => {
    const { page, wrong } = await open("/topics");
    await find(page, "STEP_FAILED");
    const byCode = page.getByRole("region", { name: "Failed with this code" });
    await byCode.getByRole("link", { name: "All of them" }).waitFor();
    await find(page, "OF UNDEFINED");
    const byMessage = page.getByRole("region", { name: /^In the error/ });
    await byMessage.getByRole("row").nth(1).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test("of many steps those that failed or were retried are shown, or those with a name", async () => {
    const { page } = await open("/instances/report/report-1");
    const lines = page.getByRole("list", { name: "Steps" }).getByRole("listitem");
    await page.getByRole("button", { name: "failed or retried" }).click();
    await expect.poll(() => lines.count()).toBe(RETRIED.length);
    await page.getByRole("button", { name: "all", exact: true }).click();
    await page.getByRole("searchbox", { name: "Find a step" }).fill("ROW 1");
    await page.getByText("11 of them").waitFor();
    await page.getByRole("searchbox", { name: "Find a step" }).fill("nothing");
    await page.getByText("No step is so.").waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test("progress is told as it comes, and waits while the page is paused", async () => {
    const { page } = await open("/instances/report/report-1");
    await page.getByRole("button", { name: "Show progress" }).click();
    const tail = page.getByRole("list", { name: "Entries, the newest first" });
    await tail.getByText('"rows": 20').waitFor();
    await page.getByRole("button", { name: "Live" }).click();
    await page.getByText("Paused: choose Live above.").waitFor();
    await engine.sendEvent("report", "report-1", { type: "go" });
    await drive(engine);
    await page.getByRole("button", { name: "Paused" }).click();
    await tail.getByText("the rest is done").waitFor();
    await page.getByText("The instance has ended.", { exact: true }).waitFor();
    expect(await tail.getByRole("listitem").count()).toBe(2);
  });

  test("on a phone the list begins on the first screen, and its other filters come when asked for", async () => {
    const { page } = await open("/instances", [], PHONE);
    const first = page.locator("main td a.id").first();
    await first.waitFor();
    const top = await first.evaluate((element) => element.getBoundingClientRect().top);
    expect(top).toBeLessThan(PHONE.viewport.height / 2);
    expect(await page.getByLabel("Error code").isVisible()).toBe(false);
    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByLabel("Error code").fill("STEP_FAILED");
    await page.getByRole("button", { name: "Find" }).click();
    await page.waitForURL("**/instances?code=STEP_FAILED");
    await page.getByLabel("Error code").waitFor();
  });
});
