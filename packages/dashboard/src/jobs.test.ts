import type { Engine } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DashboardOptions } from "./options.ts";
import { missingBrowser } from "./testing-browser.ts";
import { findBarriers, type OpenedPage, Pages } from "./testing-page.ts";
import { openScene } from "./testing-scene.ts";

const skip = missingBrowser();
if (skip !== null) console.warn(`SKIPPED, the dashboard's pages of jobs in a browser: ${skip}`);

describe.skipIf(skip !== null)("jobs in Chromium", () => {
  let engine: Engine;
  let pages: Pages | undefined;

  beforeAll(async () => {
    engine = await openScene();
    pages = await Pages.start(engine);
  });
  afterAll(() => pages?.stop());

  const open = (path: string, allow: DashboardOptions["allow"]): Promise<OpenedPage> => {
    if (pages === undefined) throw new RangeError("no browser was started");
    return pages.open(path, allow, { bypassCSP: true });
  };

  test("S8-008 what a job would do is shown first; it is begun, watched, and found again", async () => {
    const { page, wrong } = await open("/instances?status=waiting&workflow=order", ["steer"]);
    await page.getByRole("button", { name: "Apply to all that match…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("It would be done to 0 and refused by 1.").waitFor();
    expect(await dialog.getByRole("button", { name: /^Retry/ }).count()).toBe(0);
    expect(await dialog.getByRole("option").allTextContents()).not.toContain("Delete");
    await dialog.getByLabel("What").selectOption("pause");
    await dialog.getByText("It would be done to 1.").waitFor();
    await dialog.getByText("The newest 1").click();
    await dialog.getByText("order-waits").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Pause 1" }).click();
    await page.getByRole("heading", { name: "Pause all that match" }).waitFor();
    await page.getByText("workflow order, status waiting").waitFor();
    for (let isBusy = true; isBusy;) isBusy = (await engine.tick()).processed > 0;
    await page.reload();
    await page.getByText("1 of 1").waitFor();
    expect(await page.getByRole("button", { name: "Cancel the job…" }).count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("link", { name: "Jobs" }).first().click();
    await page.getByRole("row", { name: /Pause.*1 of 1/ }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(wrong).toEqual([]);
    const { details } = await engine.getInstance("order", "order-waits");
    expect(details.status).toBe("paused");
  });

  test("a job is cancelled after a question", async () => {
    const { id } = await engine.startBulk({ act: "restart", idPrefix: "nobody" });
    const { page } = await open(`/jobs/${id}`, ["steer"]);
    await page.getByRole("button", { name: "Cancel the job…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Cancel the job" }).click();
    // It closes when the answer arrives. A tick before that could end the job by itself.
    await dialog.waitFor({ state: "detached" });
    for (let isBusy = true; isBusy;) isBusy = (await engine.tick()).processed > 0;
    await page.reload();
    await page.locator(".title").getByText("terminated").waitFor();
  });

  test("S8-008 who may delete alone is offered to delete alone", async () => {
    const { page } = await open("/instances?status=errored", ["delete"]);
    await page.getByRole("button", { name: "Apply to all that match…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /^Delete \d/ }).waitFor();
    expect(await dialog.getByRole("option").allTextContents()).toEqual(["Delete"]);
  });

  test("nothing is offered for all instances there are, nor to who may look alone", async () => {
    for (const [path, allow] of [
      ["/instances", ["steer", "delete"]],
      ["/instances?prefix=order", ["events", "start", "payloads"]],
    ] as const) {
      const { page } = await open(path, allow);
      await page
        .getByRole("link", { name: /^order-/ })
        .first()
        .waitFor();
      expect(await page.getByRole("button", { name: "Do to all" }).count()).toBe(0);
    }
  });

  test("an engine without bulk jobs has no page of them", async () => {
    const without = await Pages.start(createHarness({ workflows: {} }).engine);
    try {
      const { page, wrong } = await without.open("/jobs", ["steer"]);
      await page.getByRole("heading", { name: "There is no such page" }).waitFor();
      expect(await page.getByRole("link", { name: "Jobs" }).count()).toBe(0);
      expect(wrong).toEqual([]);
    } finally {
      await without.stop();
    }
  });

  test("an instance shows where it stands, and its params when somebody asks", async () => {
    const { page } = await open("/instances/order/order-waits", ["payloads"]);
    const stands = page.getByRole("region", { name: "Where it stands" });
    await stands.getByText("waits for an event approval").waitFor();
    await page.getByText("Created", { exact: true }).waitFor();
    expect(await page.content()).not.toContain("secret-");
    await page.getByRole("button", { name: "Show params" }).click();
    await page.getByText("secret-sku").waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });
});
