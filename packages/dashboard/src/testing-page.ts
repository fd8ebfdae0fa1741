/** Pages of the dashboard behind the Node adapter's handler, in a browser. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Engine } from "@escapement/engine";
import { handler } from "@escapement/node";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { withDashboard } from "./index.ts";
import type { DashboardOptions } from "./options.ts";
import { startBrowser } from "./testing-browser.ts";

/** A page, its requests, and its errors. */
export interface OpenedPage {
  readonly page: Page;
  /** The origin of its server. */
  readonly url: string;
  readonly asked: readonly string[];
  readonly wrong: readonly string[];
}

/** Opens pages of one engine in one browser. */
export class Pages {
  readonly #engine: Engine;
  readonly #browser: Browser;
  readonly #servers: Server[] = [];

  readonly #options: Partial<DashboardOptions>;

  constructor(engine: Engine, browser: Browser, options: Partial<DashboardOptions> = {}) {
    this.#engine = engine;
    this.#browser = browser;
    this.#options = options;
  }

  /** @param options of the dashboard, which is open to everyone */
  static async start(engine: Engine, options: Partial<DashboardOptions> = {}): Promise<Pages> {
    return new Pages(engine, await startBrowser(), options);
  }

  /** @param path below the dashboard's */
  async open(
    path: string,
    allow: DashboardOptions["allow"] = [],
    context: BrowserContextOptions = {},
  ): Promise<OpenedPage> {
    const url = await this.#serve(allow);
    const opened = await this.#browser.newContext({ baseURL: url, ...context });
    // An overloaded machine takes many times as long.
    opened.setDefaultTimeout(100_000);
    const page = await opened.newPage();
    await slowDown(page);
    const asked: string[] = [];
    const wrong: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on("console", (line) => {
      // The route of explanations is optional.
      if (line.type() === "error" && !line.location().url.endsWith("/explain"))
        wrong.push(line.text());
    });
    await page.goto(`/dashboard${path}`);
    return { page, url, asked, wrong };
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
  }

  async #serve(allow: DashboardOptions["allow"]): Promise<string> {
    const both = withDashboard(this.#engine, {
      authorize: () => true,
      ...this.#options,
      ...(allow && { allow }),
    });
    const server = createServer(handler(both)).listen(0, "127.0.0.1");
    this.#servers.push(server);
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}

/**
 * With ESCAPEMENT_SLOW_PAGES=<milliseconds>, requests and answers are delayed by up to that time, and the page's processor is six
 * times as slow. A test that fails then relies on an order that nothing guarantees.
 */
async function slowDown(page: Page): Promise<void> {
  const lateMs = Number(process.env["ESCAPEMENT_SLOW_PAGES"] ?? "0");
  if (lateMs === 0) return;
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 6 });
  await page.route("**/*", async (route) => {
    await setTimeout(lateMs * (0.2 + 0.8 * Math.random()));
    if (Math.random() < 0.5) return route.continue();
    // A server may close an idle connection just when it is used again; browsers then repeat the request.
    const response = await route.fetch().catch(() => null);
    if (response === null) return route.continue();
    await setTimeout(lateMs * (0.2 + 0.8 * Math.random()));
    return route.fulfill({ response });
  });
}

/** How many milliseconds of processor time the page takes for work in it, without other processes. */
export async function measureProcessorMs(page: Page, work: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const takenMs = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1000;
  };
  const beforeMs = await takenMs();
  await page.evaluate(work);
  const ms = (await takenMs()) - beforeMs;
  await session.detach();
  return ms;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The findings of axe on the page, which must be opened with `bypassCSP`. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await run.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}
