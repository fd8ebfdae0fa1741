/** The dashboard in a browser on all platforms, in short: its own tests are the long form, on Node. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingBrowser, startBrowser } from "../../../packages/dashboard/src/testing-browser.ts";
import { DASHBOARD_PLATFORMS, type Served } from "./platforms.ts";

describe.each(DASHBOARD_PLATFORMS)("the dashboard on $name", ({ name, missing, path, open }) => {
  const skip = missing ?? missingBrowser();
  if (skip !== null) console.warn(`SKIPPED, the dashboard on ${name}: ${skip}`);
  let served: Served | undefined;
  let browser: Browser | undefined;
  const find = (): string => `${served?.origin}${path}`;

  beforeAll(async () => {
    if (skip !== null) return;
    served = await open();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
  });

  test.skipIf(skip !== null)(
    "S8-007 a browser lists, reads and steers, and asks nobody else",
    async () => {
      const page = await browser?.newPage();
      if (page === undefined) throw new RangeError("no browser was started");
      // A machine with many times more work than cores takes many times as long.
      page.setDefaultTimeout(100_000);
      const { asked, wrong } = watch(page);
      await page.goto(find());
      await page.getByRole("link", { name: "import-1" }).first().waitFor();
      await page.getByRole("navigation", { name: "Pages" }).getByText("Instances").click();
      await page.getByLabel("Workflow").selectOption("order");
      await page.getByRole("link", { name: "order-waits" }).click();
      await page.getByRole("button", { name: /^charge card do, completed/ }).click();
      await page.getByRole("button", { name: "Show result" }).click();
      await page.getByText("secret-receipt").waitFor();
      await page.getByRole("button", { name: "Pause…" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
      await page.getByRole("button", { name: "Resume…" }).waitFor();
      expect(wrong).toEqual([]);
      expect(asked.filter((url) => !url.startsWith(find()) && !url.startsWith("data:"))).toEqual(
        [],
      );
    },
  );

  test.skipIf(skip !== null)(
    "S8-007 its policy arrives, with a nonce of its own for each page",
    async () => {
      const policies = await Promise.all(
        [find(), `${find()}/instances`].map(async (url) => {
          const { headers } = await fetch(url);
          return headers.get("content-security-policy") ?? "";
        }),
      );
      for (const policy of policies) expect(policy).toMatch(/^default-src 'none'.*'nonce-/);
      expect(policies[0]).not.toBe(policies[1]);
      expect(policies.join()).not.toMatch(/unsafe|https?:|\*/);
    },
  );

  test.skipIf(skip !== null)(
    "S8-007 code and styles are kept for good, and not sent twice",
    async () => {
      const html = await (await fetch(find())).text();
      const files = [...html.matchAll(/"([^"]+\/assets\/[^"]+)"/g)].map(([, file = ""]) => file);
      expect(files).toHaveLength(2);
      for (const file of files) {
        const first = await fetch(`${served?.origin}${file}`);
        expect(first.headers.get("cache-control")).toContain("immutable");
        await first.arrayBuffer();
        const headers = { "if-none-match": first.headers.get("etag") ?? "" };
        expect((await fetch(`${served?.origin}${file}`, { headers })).status).toBe(304);
      }
    },
  );
});

/** Keeps what a page asks for, and what goes wrong in it. */
function watch(page: Page): { readonly asked: string[]; readonly wrong: string[] } {
  const asked: string[] = [];
  const wrong: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("console", (line) => {
    if (line.type() === "error") wrong.push(line.text());
  });
  return { asked, wrong };
}
