/** The browser for tests: Debian's. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** Why tests that need a browser are skipped; null: there is one. */
export function missingBrowser(): string | null {
  return findBrowser() === undefined ? "chromium is not installed: Debian package chromium" : null;
}

/** Starts it without a window and without its sandbox, which root may not use; it only opens our own pages. */
export function startBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new RangeError("chromium is not installed");
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });
}

function findBrowser(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(":");
  return folders
    .flatMap((folder) => NAMES.map((name) => `${folder}/${name}`))
    .find((path) => existsSync(path));
}
