/** What `vercel build` makes of the example: the artefact that would be deployed, looked at and run. */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { playRefund, startPayoutService } from "@escapement-examples/platforms";
import {
  sqldAvailable,
  startSqld,
  type SqldServer,
  temporaryDirectory,
  type TemporaryDirectory,
} from "@escapement-internal/test-servers";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { migrate } from "@escapement/engine/store/sql";
import { createClient } from "@libsql/client/web";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingVercel, VERCEL_CLI, VERCEL_ENV } from "../vendor-vercel.ts";
import { writeVercelProject } from "./write-project.ts";

type Handle = (request: Request) => Promise<Response>;

const TOKEN = "token-of-these-tests-only";
const SECRET = "cron-secret-of-more-than-24-bytes";
const skip = missingVercel() ?? (sqldAvailable() ? null : "sqld is not installed");
if (skip !== null) console.warn(`SKIPPED: ${skip}`);

describe.skipIf(skip !== null)("vercel build", () => {
  let directory: TemporaryDirectory;
  let sqld: SqldServer;
  let output: string;

  beforeAll(async () => {
    directory = temporaryDirectory();
    output = join(directory.path, ".vercel/output");
    await writeVercelProject(directory.path);
    // As `vercel link` writes it.
    const settings = { framework: null, nodeVersion: "22.x" };
    const project = { projectId: "prj_test", orgId: "team_test", settings };
    mkdirSync(join(directory.path, ".vercel"));
    writeFileSync(join(directory.path, ".vercel/project.json"), JSON.stringify(project));
    sqld = await startSqld();
    const database = createLibsqlDatabase(createClient({ url: sqld.url }));
    await migrate(database);
    await database.close();
    await promisify(execFile)(process.execPath, [VERCEL_CLI, "build", "--yes"], {
      cwd: directory.path,
      env: { ...process.env, ...VERCEL_ENV },
    });
  }, 300_000);
  afterAll(async () => {
    await sqld.stop();
    directory.remove();
  });

  const readJson = (path: string): unknown => JSON.parse(readFileSync(join(output, path), "utf8"));

  test("the cron, the duration and the queue's topic are what deploy wrote, and the tick route reaches a function", () => {
    const { crons, routes } = readJson("config.json") as {
      readonly crons: readonly { readonly path: string; readonly schedule: string }[];
      readonly routes: readonly { readonly src?: string; readonly dest?: string }[];
    };
    expect(crons).toEqual([{ path: "/api/workflows/_runner/tick", schedule: "0 * * * *" }]);
    const route = routes.find(({ src }) => new RegExp(src ?? "^$").test(crons[0]?.path ?? ""));
    expect(route?.dest).toBe("/api/workflows");
    expect(readJson("functions/api/workflows.func/.vc-config.json")).toMatchObject({
      handler: "api/workflows.js",
      maxDuration: 300,
    });
    expect(readJson("functions/api/wake.func/.vc-config.json")).toMatchObject({
      maxDuration: 300,
      experimentalTriggers: [
        {
          type: "queue/v2beta",
          topic: "refunds",
          retryAfterSeconds: 9,
          maxConcurrency: 10,
          consumer: "api_Swake_Dts",
        },
      ],
    });
  });

  test("nothing of the sources is served as a file", () => {
    expect(readdirSync(join(output, "static"), { recursive: true })).toEqual(["robots.txt"]);
  });

  test("the built function holds all that it loads and plays a refund: GET, POST, cron, work after the answer", async () => {
    const queue = await startQueue();
    const payout = await startPayoutService();
    const works: Promise<unknown>[] = [];
    const waitUntil = (work: Promise<unknown>): void => void works.push(work);
    const get = (): object => ({ waitUntil, deadline: Date.now() + 300_000 });
    Object.assign(globalThis, { [Symbol.for("@vercel/request-context")]: { get } });
    Object.assign(process.env, {
      API_TOKEN: TOKEN,
      PAYOUT_URL: payout.url,
      DATABASE_URL: sqld.url,
      DATABASE_TOKEN: "none",
      CRON_SECRET: SECRET,
      VERCEL_QUEUE_BASE_URL: queue.url,
    });
    const file = join(output, "functions/api/workflows.func/api/workflows.js");
    const { GET, POST } = (await import(pathToFileURL(file).href)) as Record<
      "GET" | "POST",
      Handle
    >;
    const api = "https://refunds.example.com/api/workflows";
    const cron = (secret: string): Promise<Response> => {
      const headers = { authorization: `Bearer ${secret}`, "user-agent": "vercel-cron/1.0" };
      return GET(new Request(`${api}/_runner/tick`, { headers }));
    };
    expect((await cron("undefined")).status).toBe(401);
    const played = await playRefund({
      api,
      payout,
      headers: { authorization: `Bearer ${TOKEN}` },
      call: (request) => (request.method === "GET" ? GET(request) : POST(request)),
      nudge: async () => {
        expect((await cron(SECRET)).status).toBe(200);
        for (let work = works.pop(); work !== undefined; work = works.pop()) await work;
      },
    });
    expect(played).toMatchObject({ status: "complete", output: { state: "paid" } });
    expect(new Set(played.payoutKeys).size).toBe(1);
    payout.close();
    queue.close();
    // The event that it waited for may have taken seven days; a message that is to be kept for an hour more waits less, and
    // the seconds that this took.
    expect(queue.sent.join("\n")).toMatch(/^\/api\/v3\/topic\/refunds 60(11[5-9]\d|1200)$/mu);
  }, 120_000);
});

/** Takes messages for Vercel Queues and delivers none. */
async function startQueue(): Promise<{
  readonly url: string;
  readonly sent: readonly string[];
  close(): void;
}> {
  const sent: string[] = [];
  const server = createServer((request, response) => {
    sent.push(`${request.url} ${String(request.headers["vqs-delay-seconds"])}`);
    request.resume();
    response.writeHead(201).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, sent, close: () => server.close().closeAllConnections() };
}
