import { ofToday } from "@escapement-internal/test-servers";
import type { Engine } from "@escapement/engine";
import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingBrowser } from "./testing-browser.ts";
import { CALLBACKS, openOverviewScene } from "./testing-overview-scene.ts";
import { findBarriers, type OpenedPage, Pages } from "./testing-page.ts";

const skip = missingBrowser();
if (skip !== null) console.warn(`SKIPPED, what goes on, in a browser: ${skip}`);

const VIEWS: readonly (readonly [string, BrowserContextOptions])[] = [
  ["at a desk", { viewport: { width: 1180, height: 760 } }],
  ["on a phone", { viewport: { width: 390, height: 780 } }],
  ["in the dark", { colorScheme: "dark" }],
];

describe.skipIf(skip !== null)("what goes on, in Chromium", () => {
  let engine: Engine;
  let pages: Pages | undefined;

  beforeAll(async () => {
    engine = await openOverviewScene();
    pages = await Pages.start(engine);
  });
  afterAll(() => pages?.stop());

  const open = (path: string, context: BrowserContextOptions = {}): Promise<OpenedPage> => {
    if (pages === undefined) throw new RangeError("no browser was started");
    return pages.open(path, [], { bypassCSP: true, ...context });
  };

  test("S8-008 the overview shows throughput, failures and lateness over time, as a drawing and as a table", async () => {
    const { page, asked, wrong } = await open("");
    await page.getByText("In the last hour 3 completed and 1 failed.").waitFor();
    await page.getByText(/1 waits for a runner, the oldest for/).waitFor();
    const throughput = page.getByRole("img", { name: /^Throughput, .* to now: 3 completed/ });
    await throughput.waitFor();
    expect(await throughput.locator("rect.in-complete").count()).toBe(2);
    expect(await throughput.locator("rect.in-errored").count()).toBe(1);
    await page.getByRole("img", { name: /^Wait to start/ }).waitFor();
    await page.getByRole("img", { name: /^Lateness, .* to now: 7\.\d s longest/ }).waitFor();
    await page.getByText("As a table").click();
    const table = page.getByRole("region", { name: "Activity over time" });
    await expect.poll(() => table.getByRole("row").count()).toBe(31);
    await table.getByRole("row", { name: /3 2 1 0 3 4\.0 s 4\.0 s( |$)/ }).waitFor();
    await table.getByRole("row", { name: / 7\.\d s 7\.\d s$/ }).waitFor();
    const looks = asked.filter((url) => url.includes("/api/activity"));
    expect(looks).toHaveLength(1);
    await page.getByRole("button", { name: "Last day" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("In the last day 3 completed and 1 failed.").waitFor();
    expect(await page.getByRole("button", { name: "Last day" }).getAttribute("aria-pressed")).toBe(
      "true",
    );
    expect(wrong).toEqual([]);
  });

  test("S8-008 runners are shown with what they hold, and what is overdue is marked", async () => {
    const { page, wrong } = await open("/runners");
    const processes = page.getByRole("region", { name: "Processes" });
    await processes.getByRole("row", { name: /^batch-7 2 0 in \d min/ }).waitFor();
    await processes.getByRole("row", { name: /^web-2 1 1/ }).waitFor();
    const leases = page.getByRole("region", { name: "Leases" });
    const [, first] = await leases.getByRole("row").all();
    expect(await first?.textContent()).toContain("overdue");
    const due = page.getByRole("region", { name: "What is due, by workflow" });
    await due.getByRole("row", { name: /^order 1/ }).waitFor();
    expect(await page.content()).not.toContain("~b1~");
    await first?.getByRole("link", { name: "report-1" }).click();
    await page.waitForURL("**/instances/report/report-1");
    expect(wrong).toEqual([]);
  });

  test("S8-008 open callbacks are shown page by page, lead to their instances, and tell no token", async () => {
    const { page, asked, wrong } = await open("/callbacks");
    const list = page.getByRole("region", { name: "Open callbacks" });
    await list.getByRole("row", { name: /^check-1 check ask bureau/ }).waitFor();
    expect(await list.getByRole("row").count()).toBe(51);
    await page.getByRole("link", { name: "Next page" }).click();
    await list.getByRole("link", { name: `check-${CALLBACKS}` }).waitFor();
    expect(await list.getByRole("row").count()).toBe(CALLBACKS - 50 + 1);
    await page.getByLabel("Workflow").selectOption("order");
    await page.getByText("None is open.").waitFor();
    await page.getByLabel("Workflow").selectOption("check");
    await list.getByRole("link", { name: "check-1", exact: true }).click();
    await page.getByText("waits for a callback").first().waitFor();
    const answers = asked.filter((url) => url.includes("/api/open-callbacks"));
    for (const url of answers) expect(await (await fetch(url)).text()).not.toContain("token");
    expect(wrong).toEqual([]);
  });

  test.each([...ofToday(VIEWS, 1)])(
    "S8-008 nothing stands in anybody's way %s",
    async (_name, context) => {
      for (const path of ["", "/runners", "/callbacks", "/search?q=check"]) {
        const { page } = await open(path, context);
        // A page that polls may never be idle if answers are slow.
        await page.getByRole("table").first().waitFor({ state: "attached" });
        for (const summary of await page.locator("summary").all()) await summary.click();
        expect(await findBarriers(page)).toEqual([]);
        const widths = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          document.documentElement.clientWidth,
        ]);
        expect(widths[0]).toBe(widths[1]);
      }
    },
  );

  test.each(["", "/runners", "/callbacks", "/search?q=check"])(
    "S8-009 a hidden tab asks nothing of %s",
    async (path) => {
      const { page, asked } = await open(path);
      await page.clock.install();
      await page.reload();
      await page.waitForLoadState("networkidle");
      await page.evaluate(() => {
        Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      });
      const before = asked.length;
      await page.clock.runFor(600_000);
      expect(asked.length).toBe(before);
    },
  );
});
