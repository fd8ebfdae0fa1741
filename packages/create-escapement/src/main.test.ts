import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterEach, expect, test } from "vitest";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const NODE_SQLITE = ["--platform", "node", "--database", "sqlite"];
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function newFolder(): string {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  return directory.path;
}

/** Runs the program with nobody to answer: its input is not a terminal, and stays open. */
const create = (cwd: string, ...args: readonly string[]) => createIn(cwd, {}, ...args);

function createIn(cwd: string, env: NodeJS.ProcessEnv, ...args: readonly string[]) {
  const command = ["--import", import.meta.resolve("tsx"), MAIN, ...args];
  const options = {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
    timeout: 100_000,
  } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, command, options);
  return { status, stdout, stderr };
}

test("a project has its own name everywhere, secrets of its own, and says what to do next", () => {
  const cwd = newFolder();
  for (const name of ["one", "two"]) {
    const made = create(cwd, name, ...NODE_SQLITE);
    expect(made).toMatchObject({ status: 0, stderr: "" });
    expect(made.stdout).toContain(`cd ${name}\n  npm install && npm run dev`);
  }
  const read = (path: string): string => readFileSync(join(cwd, path), "utf8");
  expect(JSON.parse(read("one/package.json"))).toMatchObject({ name: "one" });
  expect(readdirSync(join(cwd, "one"))).toContain("one.service");
  const whole = readdirSync(join(cwd, "one"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
  expect(whole).not.toContain("escapement-app");
  const secretOf = (name: string): string =>
    /^API_TOKEN=([0-9a-f]{64})$/m.exec(read(`${name}/.env`))?.[1] ?? "";
  expect(secretOf("one")).not.toBe("");
  expect(secretOf("one")).not.toBe(secretOf("two"));
  expect(read("one/.env.example")).toMatch(/^API_TOKEN=$/m);
  expect(read("one/.gitignore").split("\n")).toContain(".env");
});

test.each([
  [
    ["app", "--platform", "heroku"],
    'unknown platform "heroku": choose one of node, bun, deno, aws-lambda',
  ],
  [["app", "--platform", "node", "--database", "oracle"], "take sqlite, postgres, libsql, neon"],
  [
    ["app", "--platform", "vercel", "--database", "sqlite"],
    "sqlite does not work on vercel: for vercel take libsql, postgres, neon",
  ],
  [["app", "--platform", "deno", "--database", "d1"], "d1 does not work on deno"],
  [
    ["app", "--platform", "deno", "--framework", "next"],
    "next does not work on deno: for deno take none, hono",
  ],
  [
    ["app", ...NODE_SQLITE, "--framework", "rails"],
    'there is no framework "rails": for node take none, express, fastify, hono, next',
  ],
  [["app", "-y", "--framework", "next", "--database", "d1"], "d1 does not work on node"],
  [["app", "--platfrom", "node"], "Unknown option '--platfrom'"],
  [["app", "other", ...NODE_SQLITE], '"other" is a second one'],
  [["My App!", ...NODE_SQLITE], "Give another with --name"],
  [["app", ...NODE_SQLITE, "--name", "-x"], "ambiguous"],
  [["app", ...NODE_SQLITE, "--name", "x".repeat(41)], "cannot be the project's name"],
  [["app"], "without a terminal it cannot ask for --platform, --database"],
  [[], "without a terminal it cannot ask for folder, --platform, --database"],
])("%j is refused with what is possible, and nothing is written", (args, words) => {
  const cwd = newFolder();
  const refused = create(cwd, ...args);
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain(words);
  expect(refused.stderr).not.toContain("    at ");
  expect(readdirSync(cwd)).toEqual([]);
});

// Without --, npm 11 keeps flags, passes them on in the environment, and passes their values on as arguments.
test.each([
  [{ npm_config_platform: "true", npm_config_database: "true" }, ["my-app", "node", "sqlite"]],
  [{ npm_config_platform: "true" }, ["node"]],
  [{ npm_config_platform: "node" }, ["my-app", "--yes"]],
  [{ npm_config_framework: "next" }, ["my-app", "--yes"]],
])("flags that npm has kept for itself are told of: %j", (env, args) => {
  const cwd = newFolder();
  const refused = createIn(cwd, env, ...args);
  expect(refused).toMatchObject({ status: 2, stdout: "" });
  expect(refused.stderr).toMatch(
    /^create-escapement: npm took --(platform|framework).* for itself/,
  );
  expect(refused.stderr).toContain("  npm create escapement my-app -- --platform node --database");
  expect(readdirSync(cwd)).toEqual([]);
  // From another tool, which builds for another machine.
  expect(createIn(cwd, { npm_config_platform: "linux" }, "app", ...NODE_SQLITE).status).toBe(0);
});

test("a folder with files in it, or a file, is refused and left as it is; one with only a repository is not", () => {
  const cwd = newFolder();
  mkdirSync(join(cwd, "full"));
  writeFileSync(join(cwd, "full/thesis.txt"), "mine");
  writeFileSync(join(cwd, "file"), "mine");
  mkdirSync(join(cwd, "fresh/.git"), { recursive: true });
  const full = create(cwd, "full", ...NODE_SQLITE);
  expect(full).toMatchObject({ status: 2 });
  expect(full.stderr).toContain("full is not empty, it has thesis.txt: name a new folder");
  expect(create(cwd, "file", ...NODE_SQLITE).stderr).toContain("file is a file");
  expect(readdirSync(join(cwd, "full"))).toEqual(["thesis.txt"]);
  expect(create(cwd, "fresh", ...NODE_SQLITE).status).toBe(0);
  const below = create(cwd, "file/app", ...NODE_SQLITE);
  expect(below).toMatchObject({ status: 2 });
  expect(below.stderr).toMatch(/^create-escapement: file\/app cannot be made: ENOTDIR: .*\n$/);
});

test("a folder's spaces become dashes in the name, and quotes in the line that enters it; where one is already is not entered", () => {
  const cwd = newFolder();
  const made = create(cwd, "My new_app", ...NODE_SQLITE);
  expect(made).toMatchObject({ status: 0, stderr: "" });
  expect(made.stdout).toContain('\n\n  cd "My new_app"\n  npm install');
  const manifest = readFileSync(join(cwd, "My new_app/package.json"), "utf8");
  expect(JSON.parse(manifest)).toMatchObject({ name: "my-new-app" });
  mkdirSync(join(cwd, "empty"));
  const here = create(join(cwd, "empty"), ".", ...NODE_SQLITE).stdout;
  expect(here).toMatch(/^\nMade .*\n\n {2}npm install && npm run dev\n/);
});

test("a folder without a name is refused, as an unset variable of a script gives it: nothing is added to where one is", () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, "thesis.txt"), "mine");
  const refused = create(cwd, "", ...NODE_SQLITE);
  expect(refused).toMatchObject({ status: 2, stdout: "" });
  expect(refused.stderr).toBe("create-escapement: the folder has no name: name a new folder\n");
  expect(readdirSync(cwd)).toEqual(["thesis.txt"]);
});

test("what a shell would change in a folder's name is quoted in the line that enters it", () => {
  const cwd = newFolder();
  const entered = (folder: string): string | undefined =>
    /^ {2}cd (.*)$/m.exec(create(cwd, folder, ...NODE_SQLITE, "--name", "app").stdout)?.[1];
  expect(entered("$(rm thesis)")).toBe("'$(rm thesis)'");
  expect(entered("it's")).toBe(`"it's"`);
  expect(entered("~")).toBe('"~"');
});

test("a project that cannot be written whole leaves nothing behind, so that the next try works", () => {
  const cwd = newFolder();
  mkdirSync(join(cwd, "fresh/.git"), { recursive: true });
  for (const folder of ["new/app", "fresh"]) {
    // No file of the project may be larger than this: it is as if the disk were full.
    const command = `ulimit -f 2; exec "$@"`;
    const program = [process.execPath, "--import", import.meta.resolve("tsx"), MAIN, folder];
    const env = { ...process.env, TSX_DISABLE_CACHE: "1" };
    const failed = spawnSync("bash", ["-c", command, "bash", ...program, ...NODE_SQLITE], {
      cwd,
      env,
      encoding: "utf8",
    });
    expect(failed.stderr).toBe(
      `create-escapement: ${folder} cannot be made: EFBIG: file too large, write\n`,
    );
    expect(failed.status).toBe(2);
  }
  const left = readdirSync(cwd, { recursive: true, encoding: "utf8" });
  expect(new Set(left)).toEqual(new Set(["fresh", join("fresh", ".git")]));
  expect(create(cwd, "new/app", ...NODE_SQLITE).status).toBe(0);
});

test.skipIf(process.getuid?.() === 0)(
  "a folder that cannot be read is refused without a stack",
  () => {
    const cwd = newFolder();
    mkdirSync(join(cwd, "closed"));
    chmodSync(join(cwd, "closed"), 0o300);
    const refused = create(cwd, "closed", ...NODE_SQLITE);
    expect(refused).toMatchObject({ status: 2 });
    expect(refused.stderr).toBe(
      "create-escapement: closed cannot be read: EACCES: permission denied\n",
    );
  },
);

test("--yes takes the defaults: of all, of a platform, and a platform for a database", () => {
  const cwd = newFolder();
  expect(create(cwd, "--yes").stdout).toContain("Made my-workflows");
  expect(create(cwd, "--yes").status).toBe(2);
  const made = create(cwd, "edge", "-y", "--platform", "cloudflare").stdout;
  expect(made).toContain("for Cloudflare with Durable Object");
  expect(create(cwd, "d1", "-y", "--database", "d1").stdout).toContain("for Cloudflare with D1");
  expect(existsSync(join(cwd, "d1/wrangler.jsonc"))).toBe(true);
});

test("a framework is served by its own program; without one that was asked for, there is none", () => {
  const cwd = newFolder();
  const made = create(cwd, "app", ...NODE_SQLITE, "--framework", "express").stdout;
  expect(made).toContain("for Node with Express and SQLite");
  expect(readFileSync(join(cwd, "app/src/main.ts"), "utf8")).toContain("express()");
  const page = readFileSync(join(cwd, "app/README.md"), "utf8");
  expect(page.match(/^## Run$/gm)).toHaveLength(1);
  expect(create(cwd, "plain", ...NODE_SQLITE).stdout).toContain("for Node with SQLite");
  expect(existsSync(join(cwd, "plain/src/engine.ts"))).toBe(false);
  expect(create(cwd, "other", "-y", "--framework", "fastify").stdout).toContain("with Fastify and");
});

test("--help lists every combination and makes nothing", () => {
  const cwd = newFolder();
  const { status, stdout } = create(cwd, "--help", "app");
  expect(status).toBe(0);
  expect(stdout).toContain("cloudflare  durable-object, d1");
  expect(stdout).toContain("node        none, express, fastify, hono, next");
  expect(readdirSync(cwd)).toEqual([]);
});

test("a database that has to run first comes first: in what is said at the end, and on the page", () => {
  const cwd = newFolder();
  const made = create(cwd, "app", "--platform", "bun", "--database", "postgres");
  expect(made.stdout).toMatch(
    /cd app\n {2}docker run -d --name app-postgres .*\n {2}bun install && bun run dev\n/,
  );
  const page = readFileSync(join(cwd, "app/README.md"), "utf8");
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(["Database", "Run", "Test", "Deploy"]);
  expect(page).toContain("bun run test");
  const neon = create(cwd, "neon", "--platform", "netlify", "--database", "neon");
  expect(neon.stdout).toMatch(/Neon database into \.env.*\n\n {2}cd neon\n {2}npm install/);
});
