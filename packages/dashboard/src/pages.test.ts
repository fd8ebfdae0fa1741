import type { Engine } from "@escapement/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DashboardOptions } from "./options.ts";
import { missingBrowser } from "./testing-browser.ts";
import { type OpenedPage, Pages } from "./testing-page.ts";
import { openScene } from "./testing-scene.ts";

const skip = missingBrowser();
if (skip !== null) console.warn(`SKIPPED, the dashboard's pages in a browser: ${skip}`);

const told = {
  type: "object",
  properties: {
    sku: { type: "string" },
    count: { type: "integer" },
    gift: { type: "boolean" },
  },
  required: ["sku", "count"],
};
const ORDER = {
  name: "order",
  schema: { "~standard": { jsonSchema: { input: () => told } } },
  events: { approval: {}, refund: {} },
};
const ALL = ["start", "steer", "events", "delete", "payloads"] as const;

describe.skipIf(skip !== null)("pages in Chromium", () => {
  let engine: Engine;
  let pages: Pages | undefined;

  beforeAll(async () => {
    engine = await openScene();
    pages = await Pages.start(engine, { workflows: { ORDER } });
  });
  afterAll(() => pages?.stop());

  const open = (path: string, allow: DashboardOptions["allow"] = ALL): Promise<OpenedPage> => {
    if (pages === undefined) throw new RangeError("no browser was started");
    return pages.open(path, allow);
  };

  test("S8-008 an instance is compared with the newest that completed: where they part, what differs", async () => {
    const { page, wrong } = await open("/instances/order/order-waits");
    await page.getByRole("link", { name: "Compare" }).click();
    await page.getByText("With the newest that completed.").waitFor();
    expect(await page.getByLabel("And instance").inputValue()).toBe("order-done");
    await page.getByText("They diverge at approval: status.").waitFor();
    const table = page.getByRole("region", { name: "Differences" });
    expect(await table.getByRole("row").count()).toBe(2);
    await page.getByLabel("also what is the same").check();
    await table.getByRole("row", { name: /^reserve stock/ }).waitFor();
    expect(await page.content()).not.toContain("secret-");
    await page.getByRole("button", { name: "Compare params and results too" }).click();
    await table.getByRole("row", { name: /^charge card.*secret-receipt/s }).waitFor();
    expect(wrong).toEqual([]);
  });

  test("a run is compared with itself: nothing differs", async () => {
    const { page } = await open("/diff/order?left=order-done&right=order-done");
    await page.getByText("They did the same.").waitFor();
  });

  test("an instance that is not there cannot be compared, and it is said so", async () => {
    const { page } = await open("/diff/order?left=order-done&right=nobody");
    await page.getByRole("alert").getByText("INSTANCE_NOT_FOUND").waitFor();
  });

  test("a workflow shows the places of its newest histories when somebody asks", async () => {
    const { page, asked } = await open("/workflows/order");
    await page.getByRole("link", { name: "order-done" }).waitFor();
    expect(asked.filter((url) => url.includes("/history"))).toEqual([]);
    await page.getByRole("button", { name: "Read their histories" }).click();
    const table = page.getByRole("region", { name: "Table of places" });
    await table.getByRole("row", { name: /^charge card do.*2 of 2/ }).waitFor();
    await table.getByRole("row", { name: /^let glue dry sleep/ }).waitFor();
  });

  test("S8-008 an instance is started by a form made of the workflow's schema", async () => {
    const { page } = await open("/workflows/order");
    await page.getByRole("button", { name: "Start…" }).click();
    await page.getByLabel("sku").fill("tea");
    await page.getByLabel("count").fill("two");
    await page.getByLabel(/^Id/).fill("by-form");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("alert").getByText("count has to be a whole number.").waitFor();
    await page.getByLabel("count").fill("2");
    await page.getByLabel("gift, may be left out").selectOption("true");
    const sent = page.waitForRequest((request) => request.method() === "POST");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    expect((await sent).postDataJSON()).toEqual({
      id: "by-form",
      params: { sku: "tea", count: 2, gift: true },
    });
    await page.waitForURL("**/instances/order/by-form");
    await page.getByRole("heading", { name: "by-form" }).waitFor();
  });

  test("without a schema params are JSON", async () => {
    const { page } = await open("/workflows");
    await page.getByRole("button", { name: "Start import…" }).click();
    await page.getByLabel("Params, as JSON").fill('{"file":"a"}');
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.waitForURL("**/instances/import/*");
  });

  test("S8-008 an event of a declared type is sent, the awaited one first", async () => {
    const { page } = await open("/instances/order/order-waits");
    await page.getByRole("button", { name: "Send event…" }).click();
    await expect.poll(() => page.getByLabel("Type").inputValue()).toBe("approval");
    await page.getByText("It waits for approval.").waitFor();
    await page.getByRole("button", { name: "Do nothing" }).click();
  });

  test("a fork begins before the step that was chosen", async () => {
    const { page } = await open("/instances/order/order-done");
    await page.getByRole("button", { name: /^settle sleep/ }).click();
    await page.getByRole("button", { name: "Fork before this step…" }).click();
    await page.getByLabel(/^Id/).fill("forked");
    await page.getByRole("button", { name: "Fork", exact: true }).click();
    await page.waitForURL("**/instances/order/forked");
    await page.getByRole("button", { name: /^charge card do, completed/ }).waitFor();
    expect(await page.getByRole("button", { name: /^settle sleep/ }).count()).toBe(0);
  });

  test("an instance that has ended is deleted after a question, and the list is shown", async () => {
    const { page } = await open("/instances/import/import-1");
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.waitForURL("**/instances?workflow=import");
    await expect(engine.getInstance("import", "import-1")).rejects.toMatchObject({
      code: "INSTANCE_NOT_FOUND",
    });
  });

  test("a history is read as text", async () => {
    const { page } = await open("/instances/order/order-done");
    await page.getByText("History as text").click();
    const text = await page.locator(".as-text pre").textContent();
    expect(text).toMatch(/^order order-done, run 1: complete\n/);
    expect(text).toContain("prepare/label/print label  do  completed");
    expect(text).not.toContain("secret-");
  });

  test("a topic that nobody knows is said to be none", async () => {
    const { page } = await open("/topics");
    await page.getByRole("textbox", { name: "Topic" }).fill("weather");
    await page.getByRole("button", { name: "Look" }).click();
    await page.getByRole("alert").getByText("TOPIC_NOT_FOUND").waitFor();
  });

  test("S8-008 stuck instances are a choice beside the statuses, and so is when they were created", async () => {
    const { page, asked } = await open("/instances");
    await page.getByLabel("Status").selectOption("stuck");
    await page.waitForURL("**/instances?status=stuck");
    await page.getByText("No instance matches.").waitFor();
    expect(asked.filter((url) => url.includes("/api/instances?stuck=true"))).toHaveLength(1);
    await page.getByLabel("Created from").fill("2020-01-01T09:00");
    await page.getByLabel("Status").selectOption("waiting");
    await page.waitForURL(/status=waiting&from=2020-01-01T\d\d%3A00%3A00.000Z$/);
    await page.locator("main td a.id").first().waitFor();
    expect(await page.getByLabel("Created from").inputValue()).toBe("2020-01-01T09:00");
  });

  test("a view is saved in this browser, found again, and forgotten", async () => {
    const { page } = await open("/instances?status=waiting");
    await page.getByLabel("Name of the view").fill("asleep");
    await page.getByRole("button", { name: "Save" }).click();
    await page.goto("/dashboard/instances");
    await page.getByRole("link", { name: "asleep" }).click();
    await page.waitForURL("**/instances?status=waiting");
    await page.getByRole("button", { name: "Forget asleep" }).click();
    await page.reload();
    await page.getByRole("heading", { name: "Instances" }).waitFor();
    expect(await page.getByRole("link", { name: "asleep" }).count()).toBe(0);
  });

  test("what is stored in the browser by others is no view", async () => {
    const { page, wrong } = await open("/instances");
    for (const stored of ["{", '{"a":1}', '[null,1,{"name":1}]']) {
      await page.evaluate(
        (text) => localStorage.setItem("escapement views /dashboard", text),
        stored,
      );
      await page.reload();
      await page.getByRole("heading", { name: "Instances" }).waitFor();
    }
    expect(wrong).toEqual([]);
  });

  test("S8-008 a page that is not live asks nothing more, until it is again", async () => {
    const opened = await open("/instances");
    const { page, asked } = opened;
    await page.getByRole("link", { name: "order-done" }).waitFor();
    await page.clock.install();
    await page.getByRole("button", { name: "Live" }).click();
    await page.getByRole("button", { name: "Paused" }).waitFor();
    await page.waitForLoadState("networkidle");
    const before = asked.length;
    await page.clock.runFor(600_000);
    expect(asked.length).toBe(before);
    await page.getByRole("button", { name: "Paused" }).click();
    await expect.poll(() => asked.length).toBeGreaterThan(before);
  });
});
