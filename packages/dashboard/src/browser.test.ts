import { ofToday } from "@escapement-internal/test-servers";
import type { Engine } from "@escapement/engine";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DashboardOptions } from "./options.ts";
import { missingBrowser } from "./testing-browser.ts";
import { findBarriers, measureProcessorMs, type OpenedPage, Pages } from "./testing-page.ts";
import { openScene } from "./testing-scene.ts";

const missing = missingBrowser();
if (missing !== null) console.warn(`SKIPPED, the dashboard in a browser: ${missing}`);

/** Where screenshots go, for people who want to look. */
const shots = process.env["ESCAPEMENT_SHOTS"];
const LONG_STEPS = 10_000;

describe.skipIf(missing !== null)("in Chromium", () => {
  let engine: Engine;
  let pages: Pages | undefined;

  beforeAll(async () => {
    engine = await openScene(LONG_STEPS);
    pages = await Pages.start(engine);
  });
  afterAll(() => pages?.stop());

  const open = (
    path: string,
    allow: DashboardOptions["allow"] = [],
    context: BrowserContextOptions = {},
  ): Promise<OpenedPage> => {
    if (pages === undefined) throw new RangeError("no browser was started");
    return pages.open(path, allow, context);
  };

  const shoot = async (page: Page, name: string): Promise<void> => {
    if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
  };

  test("S8-008 from the overview to an instance: counts, failures, filters in the address, the way back", async () => {
    const { page, url, asked, wrong } = await open("");
    await page.getByRole("link", { name: "import-1" }).first().waitFor();
    await page.getByRole("navigation", { name: "Pages" }).getByText("Instances").click();
    await page.getByRole("link", { name: "order-waits" }).waitFor();
    await page.getByLabel("Workflow").selectOption("order");
    await page.waitForURL("**/instances?workflow=order");
    await page.getByRole("link", { name: "import-1" }).waitFor({ state: "detached" });
    await page.getByLabel("Id begins with").fill("order-w");
    await page.getByRole("button", { name: "Find" }).click();
    await page.waitForURL("**/instances?workflow=order&prefix=order-w");
    await page.reload();
    await page.getByRole("link", { name: "order-waits" }).click();
    await page.getByRole("heading", { name: "order-waits" }).waitFor();
    await page.getByRole("button", { name: /^charge card do, completed/ }).waitFor();
    await page.goBack();
    await page.waitForURL("**/instances?workflow=order&prefix=order-w");
    expect(wrong).toEqual([]);
    expect(
      asked.filter((address) => !address.startsWith(url) && !address.startsWith("data:")),
    ).toEqual([]);
  });

  test("S8-008 without steer and payloads nothing offers them", async () => {
    const { page } = await open("/instances/order/order-done");
    await page.getByRole("button", { name: /^charge card/ }).click();
    await page.getByRole("region", { name: "Step charge card" }).waitFor();
    expect(await page.getByRole("button", { name: /Show|…/ }).count()).toBe(0);
    expect(await page.content()).not.toContain("secret-");
  });

  test("S8-008 a payload is asked for when somebody wants to see it", async () => {
    const { page } = await open("/instances/order/order-done", ["payloads"]);
    await page.getByRole("button", { name: /^charge card/ }).click();
    await page.getByRole("button", { name: "Show result" }).waitFor();
    expect(await page.content()).not.toContain("secret-");
    await page.getByRole("button", { name: "Show result" }).click();
    await page.getByText("secret-receipt").waitFor();
    await page.getByRole("button", { name: "Show payload" }).click();
    await page.getByText("secret-name").first().waitFor();
  });

  test("texts of errors, results and filters stay texts", async () => {
    const { page, wrong } = await open("/instances/import/import-1", ["payloads"]);
    await page.getByText("<img src=x").first().waitFor();
    await page.goto("/dashboard/instances/order/order-done");
    await page.getByRole("button", { name: /^print label/ }).click();
    await page.getByRole("button", { name: "Show result" }).click();
    await page.getByText("<img src=x").first().waitFor();
    await page.goto("/dashboard/instances?tag=%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E");
    await page.getByText("No instance matches.").waitFor();
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).not.toBe("taken");
    expect(wrong).toEqual([]);
  });

  test("an instance is paused after a question, and resumed by keys alone", async () => {
    const { page } = await open("/instances/order/order-waits", ["steer"]);
    await page.getByRole("button", { name: "Pause…" }).click();
    await page.getByRole("button", { name: "Do nothing" }).click();
    await page.getByRole("button", { name: "Pause…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume…" }).focus();
    expect((await engine.getInstance("order", "order-waits")).details.status).toBe("paused");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await shoot(page, "dialog");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Pause…" }).waitFor();
  });

  test("S8-007 keys alone lead from the overview to a step and its rewind, and what had the focus has it again", async () => {
    const { page } = await open("", ["steer"]);
    await page.getByRole("link", { name: "import-1" }).first().waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content");
    const tabTo = async (text: RegExp): Promise<void> => {
      for (let count = 0; count < 80; count += 1) {
        const focused = await page.evaluate(() => document.activeElement?.textContent ?? "");
        if (text.test(focused)) return;
        await page.keyboard.press("Tab");
      }
      throw new RangeError(`no key leads to ${text}`);
    };
    await tabTo(/^Instances$/);
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "order-waits" }).waitFor();
    await tabTo(/^order-waits$/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^reserve stock/ }).waitFor();
    await tabTo(/^reserve stock/);
    await page.keyboard.press("ArrowDown");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toMatch(/^charge card/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Rewind to this step/ }).waitFor();
    await tabTo(/^Rewind to this step/);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toMatch(/^Rewind/);
  });

  test("an event is sent, and one that is no JSON is not", async () => {
    const { page } = await open("/instances/order/order-later", ["events"]);
    await page.getByRole("button", { name: "Send event…" }).click();
    await page.getByLabel("Type").fill("approval");
    await page.getByLabel("Payload").fill("{no");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Payload").fill('{"by":"Ann"}');
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("not taken yet").waitFor();
  });

  test("S8-009 a hidden tab asks nothing, one that is seen again asks at once, and less often while nothing changes", async () => {
    const { page, asked } = await open("/instances");
    await page.getByRole("link", { name: "order-waits" }).waitFor();
    await page.clock.install();
    await page.reload();
    await page.getByRole("link", { name: "order-waits" }).waitFor();
    const lists = (): number => asked.filter((address) => address.includes("/api/")).length;
    const hide = (state: string): Promise<void> =>
      page.evaluate((next) => {
        Object.defineProperty(document, "visibilityState", { value: next, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    await hide("hidden");
    const before = lists();
    await page.clock.runFor(600_000);
    expect(lists()).toBe(before);
    await hide("visible");
    await expect.poll(lists).toBe(before + 3);
    await page.clock.runFor(60_000);
    expect(lists() - before).toBeLessThan(16);
  });

  test("S8-008 10 000 steps: all can be reached by keys, few are in the document", async () => {
    const { page, asked } = await open("/instances/long/long-1");
    const historyPages = (): number => asked.filter((url) => url.includes("/history?")).length;
    await page.getByRole("button", { name: /^part do/ }).waitFor();
    await page.getByText("10,000", { exact: true }).waitFor();
    expect(asked.find((url) => url.includes("/history?"))).toContain("pageSize=100");
    expect(historyPages()).toBeLessThan(16);
    const first = page.getByRole("button", { name: /^part do/ });
    await first.focus();
    await page.keyboard.press("End");
    await page.getByRole("button", { name: /^part#10000 do/ }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toMatch(/^part#10000/);
    expect(await page.getByRole("listitem").count()).toBeLessThan(80);
    const ms = await measureProcessorMs(page, async () => {
      const box = document.querySelector(".lines");
      for (let count = 1; count <= 10; count += 1) {
        box?.scrollTo(0, count * 30_000);
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    });
    console.log(`ten jumps through 10 000 steps: ${Math.round(ms)} ms of the processor`);
    expect(ms).toBeLessThan(5000);
    await shoot(page, "long");
  });

  const VIEWS: readonly (readonly [string, BrowserContextOptions])[] = [
    ["light", { colorScheme: "light", viewport: { width: 1280, height: 860 } }],
    ["dark", { colorScheme: "dark", viewport: { width: 1280, height: 860 } }],
    ["phone", { colorScheme: "light", viewport: { width: 390, height: 844 } }],
    ["dark-phone", { colorScheme: "dark", viewport: { width: 390, height: 844 } }],
  ];
  test.each([...ofToday(VIEWS, 2)])(
    "S8-007 %s: axe finds nothing, and nothing is wider than the window",
    async (name, context) => {
      const pages = [
        "",
        "/instances",
        "/instances/order/order-waits",
        "/instances/import/import-1",
        "/workflows",
        "/workflows/order",
        "/diff/order?left=order-waits&right=order-done",
        "/topics?topic=none",
        "/jobs",
        "/nowhere",
      ];
      const { page } = await open("", ["start", "steer", "events", "delete", "payloads"], {
        ...context,
        bypassCSP: true,
      });
      for (const [index, path] of pages.entries()) {
        await page.goto(`/dashboard${path}`);
        await page
          .locator("table, .lines, .empty, [role=alert], h1:text('no such')")
          .first()
          .waitFor();
        if (path === "/workflows/order")
          await page.getByRole("button", { name: "Read their histories" }).click();
        if (path.endsWith("waits"))
          await page.getByRole("button", { name: /^charge card/ }).click();
        await shoot(page, `${name}-${index}`);
        expect(await findBarriers(page), path).toEqual([]);
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow, path).toBe(0);
      }
    },
  );
});
