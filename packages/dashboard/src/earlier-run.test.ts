/** Runs of an instance that was restarted: commands act on the run that is shown, or on none. */
import { ofToday } from "@escapement-internal/test-servers";
import type { Engine } from "@escapement/engine";
import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DashboardOptions } from "./options.ts";
import { missingBrowser } from "./testing-browser.ts";
import { findBarriers, type OpenedPage, Pages } from "./testing-page.ts";
import { openRunsScene, type RunsScene } from "./testing-runs-scene.ts";

const skip = missingBrowser();
if (skip !== null) console.warn(`SKIPPED, earlier runs in a browser: ${skip}`);

const ALL = ["start", "steer", "events", "delete", "payloads"] as const;

describe.skipIf(skip !== null)("an instance with several runs, in Chromium", () => {
  let scene: RunsScene;
  let engine: Engine;
  let pages: Pages | undefined;

  beforeAll(async () => {
    scene = await openRunsScene();
    engine = scene.engine;
    pages = await Pages.start(engine);
  });
  afterAll(() => pages?.stop());

  const open = (
    path: string,
    allow: DashboardOptions["allow"] = ALL,
    context: BrowserContextOptions = {},
  ): Promise<OpenedPage> => {
    if (pages === undefined) throw new RangeError("no browser was started");
    return pages.open(path, allow, { bypassCSP: true, ...context });
  };

  test("an earlier run offers no command, says why, and leads to the present run", async () => {
    await scene.failThenRestart("o-1");
    const { page, wrong } = await open("/instances/order/o-1?run=1&step=reserve");
    await page.getByRole("button", { name: /^price do, errored/ }).waitFor();
    await page.getByRole("region", { name: "Step reserve" }).waitFor();
    const why = page.getByText(
      "This is run 1, an earlier one. Commands act on the present run only",
    );
    await why.waitFor();
    expect(await page.getByRole("button", { name: /…$/ }).allTextContents()).toEqual([]);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("link", { name: "Go to run 2" }).click();
    await page.getByRole("button", { name: "Pause…" }).waitFor();
    expect(await why.count()).toBe(0);
    await page.getByRole("button", { name: /^reserve do/ }).click();
    await page.getByRole("button", { name: "Rewind to this step…" }).waitFor();
    expect(wrong).toEqual([]);
  });

  test("an earlier run is shown without the state, the times and the error of the present one", async () => {
    await scene.failThenRestart("o-2");
    await scene.fail("o-2");
    const { page } = await open("/instances/order/o-2?run=1");
    await page.getByText("This is run 1, an earlier one.").waitFor();
    const main = page.getByRole("main");
    const facts = await main.locator("dl.facts").first().textContent();
    expect(facts).toMatch(/^Run1 of 2/);
    expect(facts).not.toMatch(/Run began|Run ended|Created/);
    expect(await main.getByText("Fix the cause").count()).toBe(0);
    expect(await main.locator("h1 ~ .pill").count()).toBe(0);
    expect(await page.getByRole("button", { name: /^Show (params|output)/ }).count()).toBe(0);
    await page.getByText("History as text").click();
    const text = await page.locator(".as-text pre").textContent();
    expect(text).toMatch(/^order o-2, run 1, an earlier one: run 2 is the present one\n/);
    await page.getByRole("link", { name: "Compare" }).click();
    await page.waitForURL("**/diff/order?left=o-2&leftRun=1");
  });

  /** Two of them each day. */
  const QUESTIONS: readonly (readonly [id: string, button: string, says: string])[] = [
    ["o-3", "Rewind to this step…", "Rewind"],
    ["o-4", "Fork before this step…", "Fork"],
    ["o-5", "Terminate…", "Terminate"],
    ["o-6", "Restart…", "Restart"],
  ];
  test.each([...ofToday(QUESTIONS, 2)])(
    "%s: what was asked about a run is not done to the next one, whatever the page has read meanwhile: %s",
    async (id, button, says) => {
      await scene.start(id);
      const { page } = await open(`/instances/order/${id}?step=reserve`);
      await page.getByRole("button", { name: button }).click();
      const dialog = page.getByRole("dialog", { name: `${says} ${id}?` });
      await dialog.getByRole("button", { name: says }).waitFor();
      await scene.restart(id);
      // The page behind the question has read the next run.
      await page.getByText("Run 2", { exact: true }).waitFor();
      await dialog.getByRole("button", { name: says }).click();
      await dialog.getByRole("alert").getByText("RUN_NUMBER_MISMATCH").waitFor();
      const { details } = await engine.getInstance("order", id);
      expect(details).toMatchObject({ runNumber: 2, status: "waiting" });
      expect((await engine.listHistory("order", id, {})).events).toEqual([]);
      const { instances } = await engine.findInstances({});
      expect(instances.filter(({ details: { forkedFrom } }) => forkedFrom)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: button }).click();
      await page.getByRole("dialog", { name: `${says} ${id}, run 2?` }).waitFor();
      await page.close();
    },
  );

  test("a run that the instance does not have is said to be none, and leads to the present one", async () => {
    await scene.start("o-13");
    const { page } = await open("/instances/order/o-13?run=9");
    await page.getByText("There is no run 9.").waitFor();
    await page.getByRole("link", { name: "Go to run 1" }).click();
    await page.getByRole("button", { name: "Pause…" }).waitFor();
  });

  test("an event meant for a run is not sent to the next one", async () => {
    await scene.start("o-7");
    const { page } = await open("/instances/order/o-7");
    await page.getByRole("button", { name: "Send event…" }).click();
    await scene.restart("o-7");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("dialog").getByRole("alert").getByText("RUN_NUMBER_MISMATCH").waitFor();
    expect((await engine.listHistory("order", "o-7", {})).events).toEqual([]);
  });

  test("a run that ended while the question was open is neither rewound nor restarted", async () => {
    for (const [id, button, says] of [
      ["o-8", "Rewind to this step…", "Rewind"],
      ["o-9", "Restart…", "Restart"],
    ] as const) {
      await scene.start(id);
      const { page } = await open(`/instances/order/${id}?step=reserve`);
      await page.getByRole("button", { name: button }).click();
      await scene.complete(id);
      await page.getByRole("dialog").getByRole("button", { name: says }).click();
      await page.getByRole("dialog").getByRole("alert").getByText("STATUS_MISMATCH").waitFor();
      const { details } = await engine.getInstance("order", id);
      expect([id, details]).toMatchObject([id, { runNumber: 1, status: "complete" }]);
      await page.close();
    }
  });

  test("an instance that was restarted and ended again is not deleted for its run before", async () => {
    await scene.start("o-10");
    await scene.complete("o-10");
    const { page } = await open("/instances/order/o-10");
    await page.getByRole("button", { name: "Delete…" }).click();
    await scene.restart("o-10");
    await scene.complete("o-10");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("alert").getByText("RUN_NUMBER_MISMATCH").waitFor();
    expect((await engine.getInstance("order", "o-10")).details.runNumber).toBe(2);
  });

  test("a page that is kept at a run says that it is an earlier one once somebody restarts it", async () => {
    await scene.start("o-11");
    const { page } = await open("/instances/order/o-11?run=1");
    await page.getByRole("button", { name: "Pause…" }).waitFor();
    await scene.restart("o-11");
    await page.getByText("This is run 1, an earlier one.").waitFor();
    expect(await page.getByRole("button", { name: "Pause…" }).count()).toBe(0);
  });

  test("a long history follows a restart that leaves the status as it was", async () => {
    await scene.start("o-12", 150);
    const { page, wrong } = await open("/instances/order/o-12");
    await page.getByText("152", { exact: true }).waitFor();
    await scene.restart("o-12");
    await page.getByText("Run 2", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Pause…" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await page.getByText("an earlier one").count()).toBe(0);
    expect(wrong).toEqual([]);
  });
});
