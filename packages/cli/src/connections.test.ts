/** Servers that refuse, stall, or are not the API; engines of modules; and what is never printed. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterEach, expect, test, vi } from "vitest";
import { runCommand, runCommands } from "./testing-command.ts";

vi.setConfig({ testTimeout: 150_000 });

const APP = fileURLToPath(new URL("testing-app.ts", import.meta.url));
const SECRET = "s3cret-of-somebody-who-types";
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("S4-052 a module's engine is used without a server, on its database, with the same answers", async () => {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  const environment = {
    TESTING_DATABASE: join(directory.path, "data.db"),
    ESCAPEMENT_ENGINE: APP,
  };
  const escapement = (...args: readonly string[]) => runCommand(args, environment);
  expect(await escapement("start", "order", '{"sku":"tea"}', "--id", "o-1")).toEqual({
    code: 0,
    stdout: "order o-1: queued, run 1\n",
    stderr: "",
  });
  expect((await escapement("ls")).stdout).toMatch(
    /^WORKFLOW +ID +STATUS +RUN +CREATED\norder +o-1 +queued +1 +\S.*\n$/,
  );
  expect((await escapement("pause", "order", "o-1")).stdout).toBe("order o-1: paused, run 1\n");
  expect((await escapement("show", "order", "o-1")).stdout).toMatch(
    /^order o-1: paused, run 1\n +created: .*\n +params: +\{"sku":"tea"\}\n$/,
  );
  const refused = await escapement("show", "order", "o-2");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^escapement: INSTANCE_NOT_FOUND: /);
  expect((await escapement("show", "Odrer", "o-1")).stderr).toBe(
    'escapement: WORKFLOW_NOT_FOUND: no workflow named "Odrer" is registered; did you mean "order"?\n',
  );
  const listed = (await escapement("show", "nothing-like-it", "o-1")).stderr;
  expect(listed).toMatch(/"nothing-like-it" is registered; registered: .*order/);
  const held = await runCommand(["show", "ordr", "o-1", "--db", environment.TESTING_DATABASE]);
  expect(held.stderr).toMatch(/nothing of that workflow; did you mean "order"\? Without your code/);
});

test("a module that is missing or exports no engine is refused with its name", async () => {
  const missing = await runCommand(["ls", "--engine", "./nowhere.js"]);
  expect(missing.stderr).toMatch(
    /^escapement: ENGINE_NOT_LOADED: \.\/nowhere\.js cannot be imported: /,
  );
  expect(missing.code).toBe(1);
  const other = await runCommand([
    "ls",
    "--engine",
    fileURLToPath(new URL("table.ts", import.meta.url)),
  ]);
  expect(other.stderr).toMatch(/exports no engine/);
});

test("a refusal is the error's code and its message, once, on standard error, and exit code 1", async () => {
  const url = await serve((_request, response) => {
    const error = {
      code: "INVALID_REQUEST",
      message: "The request is invalid. status: no\u001b[2J.",
      details: { issues: [{ path: "status", message: "no\u001b[2J" }] },
    };
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  });
  expect(await runCommand(["ls", "--url", url])).toEqual({
    code: 1,
    stdout: "",
    stderr: "escapement: INVALID_REQUEST: The request is invalid. status: no\\u001b[2J.\n",
  });
});

test("the token goes to the server that was named, and nowhere else: no redirect is followed", async () => {
  const asked: string[] = [];
  const elsewhere = await serve((_request, response) => {
    asked.push("elsewhere");
    response.end("{}");
  });
  const url = await serve(({ headers }, response) => {
    asked.push(headers.authorization ?? "");
    response.writeHead(307, { location: `${elsewhere}/x` }).end();
  });
  const ended = await runCommand(["start", "order", "--url", url], { ESCAPEMENT_TOKEN: SECRET });
  expect(asked).toEqual([`Bearer ${SECRET}`]);
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/^escapement: NOT_THE_API: .*redirects to/);
});

test("a server that answers with pages, or with nothing in time, is told apart from a refusal", async () => {
  const pages = await serve((_request, response) => void response.end("<h1>Welcome</h1>"));
  expect((await runCommand(["ls", "--url", pages])).stderr).toMatch(
    /^escapement: NOT_THE_API: .*mounted at/,
  );
  const silent = await serve((_request, response) => void response.write('{"instances":'));
  const late = await runCommand(["start", "order", "--url", silent, "--timeout", "0.5"]);
  expect(late.stderr).toMatch(/^escapement: NO_ANSWER: .*It may have been carried out/);
  expect(late.code).toBe(1);
});

test("only a change that may have arrived is said to be perhaps carried out, and to be sent again with its key if it had one", async () => {
  const silent = await serve((_request, response) => void response.write("{"));
  const to = (url: string, ...args: readonly string[]) => [...args, "--url", url, "--timeout", "1"];
  const bulk = ["bulk", "retry", "--workflow", "order"];
  const [keyed, keyless, dryRun, looked, gone] = await runCommands(
    [
      to(silent, "start", "order", "--key", "k-1"),
      to(silent, ...bulk, "--yes"),
      to(silent, ...bulk, "--dry-run"),
      to(silent, "ls"),
      to("http://127.0.0.1:2", "start", "order"),
    ],
    {},
  );
  expect(keyed?.stderr).toMatch(/It may have been carried out: look, or send it again with the/);
  expect(keyless?.stderr).toMatch(
    /It may have been carried out: look before you send it again\.$/m,
  );
  for (const ended of [dryRun, looked, gone])
    expect(ended?.stderr).toMatch(/^escapement: NO_ANSWER: \S+ gave no answer: (?!.*carried out)/);
});

test("an answer of JSON that is none of the API's is told as such, whichever verb asked", async () => {
  const url = await serve((_request, response) => void response.end('{"instances":[null]}'));
  const verbs = [["ls"], ["show", "order", "o-1"], ["explain", "order", "o-1"], ["activity"]];
  for (const ended of await runCommands(verbs, { ESCAPEMENT_URL: url }))
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^escapement: NOT_THE_API: .*\n$/),
    });
});

test.each([
  [[], "Usage: escapement"],
  [["lss"], "unknown command 'lss'"],
  [["ls"], "which engine?"],
  [["ls", "--url", "http://x", "--engine", "./y.js"], "not several"],
  [["ls", "--url", "http://x", "--db", "./y.db"], "not several"],
  [["ls", "--db", `mysql://root:${SECRET}@x/y`], "--db must be postgres://"],
  [["ls", "--db", `postgres://root:${SECRET}%zz@x:port/y`], "--db cannot be read"],
  [["ls", "--url", "localhost:3000"], "--url must be a URL"],
  [["ls", "--limit", "many", "--url", "http://x"], "from 1 to 100"],
  [["show", "order", "--url", "http://x"], "missing required argument 'id'"],
  [["start", "order", "{sku:tea}", "--url", "http://x"], "the argument is not JSON"],
  [["start", "order", "@/nowhere.json", "--url", "http://x"], "/nowhere.json cannot be read"],
  [["ls", `--tokne=${SECRET}`], "unknown option '--tokne'"],
  [["ls", "--url", `https://admin:${SECRET}@x/api`], "takes no user"],
  [["ls", "--url", "http://x", "--token", `${SECRET}\n`], "printable ASCII"],
])("wrong usage %# is told with exit code 2, and without secrets", async (args, words) => {
  const { code, stdout, stderr } = await runCommand(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(words);
  expect(stderr).not.toContain(SECRET);
});

test("a token is hidden even where the server sends it back", async () => {
  const url = await serve(({ headers, method }, response) => {
    const error = { code: "UNAUTHORIZED", message: `${headers.authorization} is wrong` };
    const body =
      method === "POST" ? { error } : { instances: [], cursor: SECRET, hasNextPage: true };
    response.writeHead(method === "POST" ? 401 : 200).end(JSON.stringify(body));
  });
  const environment = { ESCAPEMENT_TOKEN: SECRET, ESCAPEMENT_URL: url };
  const refused = await runCommand(["pause", "order", "o-1"], environment);
  expect(refused.stderr).toBe("escapement: UNAUTHORIZED: Bearer [token] is wrong\n");
  expect((await runCommand(["ls", "--json"], environment)).stdout).not.toContain(SECRET);
});

test("every verb's help teaches with an example, and shows no token", async () => {
  const { stdout } = await runCommand(["--help"], { ESCAPEMENT_TOKEN: SECRET });
  const commands = stdout.slice(stdout.indexOf("Commands:"), stdout.indexOf("Where the engine"));
  const verbs = [...commands.matchAll(/^ {2}(?!help)([a-z]+) /gm)].map(([, verb = ""]) => verb);
  expect(verbs).toHaveLength(28);
  const lines = verbs.map((verb) => [verb, "--help"]);
  const helps = await runCommands(lines, { ESCAPEMENT_TOKEN: SECRET });
  for (const [index, { code, stdout: help }] of helps.entries()) {
    expect(code).toBe(0);
    expect(help).toMatch(new RegExp(`\\$ escapement (--engine \\S+ )?${verbs[index]}\\b`));
    expect(help).not.toContain(SECRET);
  }
});
