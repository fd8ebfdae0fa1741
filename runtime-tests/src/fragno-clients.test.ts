/** The fragment's clients in their frameworks: each renders, creates, and is told of a refusal. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createFragnoAdapter,
  createWorkflowsFragment,
  defaultFragnoRuntime,
  defineWorkflow,
} from "@escapement/fragno";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import { migrate } from "@fragno-dev/db";
import LibsqlConnection from "libsql";
import { afterEach, expect, test } from "vitest";
import { browse, missingFrontends } from "./vendor-frontends.ts";

const skip = missingFrontends();
if (skip !== null) console.warn(`SKIPPED: ${skip}`);

const WAIT = defineWorkflow({ name: "wait" }, async (_event, step) => {
  await step.waitForEvent("go", { type: "go" });
});

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

type Handler = (request: Request) => Promise<Response>;

async function answer(handler: Handler, incoming: IncomingMessage, outgoing: ServerResponse) {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = "GET", url = "/", headers } = incoming;
  const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
  const given = { "content-type": headers["content-type"] ?? "" };
  const response = await handler(
    new Request(new URL(url, "http://app"), { method, headers: given, ...body }),
  );
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(await response.text());
}

async function serve(handler: Handler): Promise<string> {
  const server: Server = createServer((incoming, outgoing) => {
    void answer(handler, incoming, outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function openFragment() {
  const database = createSqliteDatabase(new LibsqlConnection(":memory:"));
  closing.push(() => database.close());
  const fragment = createWorkflowsFragment(
    { workflows: { WAIT }, runtime: defaultFragnoRuntime, http: { open: true } },
    { databaseAdapter: createFragnoAdapter({ database }) },
  );
  await migrate(fragment);
  return fragment;
}

test.skipIf(skip !== null).each(["react", "vue", "svelte", "solid"] as const)(
  "S0-137 in %s a list and a status are rendered, a mutation creates and the list follows, a refusal carries its code",
  async (framework) => {
    const fragment = await openFragment();
    await fragment.workflows.WAIT.create({ id: "first" });
    await fragment.engine.tick();
    const origin = await serve((request) => fragment.handler(request));
    const list = ["second queued", "first waiting"];
    expect(await browse(framework, origin)).toEqual([
      { list: ["first waiting"], status: "waiting", refusal: "" },
      { list, status: "waiting", refusal: "" },
      { list, status: "waiting", refusal: "INSTANCE_ID_ALREADY_EXISTS" },
    ]);
    expect(await (await fragment.workflows.WAIT.get("second")).status()).toMatchObject({
      status: "queued",
    });
  },
);
