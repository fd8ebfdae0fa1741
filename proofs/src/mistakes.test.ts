/** Usual mistakes of authors and callers, and what the compiler says of each. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const SOURCES = pathOf("./mistakes");
const SHOP = "shop.ts";
const TSC = pathOf("../../node_modules/typescript/bin/tsc");
/** Where packages are found as they are from here. */
const CACHE = pathOf("../node_modules/.cache");
const OPTIONS = {
  extends: pathOf("../../tsconfig.json"),
  compilerOptions: { rewriteRelativeImportExtensions: true },
};
const NAMES = (await readdir(SOURCES)).filter((name) => name !== SHOP);

let folder: string;
/** Lines of what the compiler says, by file. */
let said: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  await mkdir(CACHE, { recursive: true });
  folder = await mkdtemp(join(CACHE, "mistakes-"));
  await cp(SOURCES, folder, { recursive: true });
  for (const name of NAMES) {
    const text = await readFile(join(folder, name), "utf8");
    await writeFile(join(folder, name), text.replace("// @ts-expect-error", "//"));
  }
  const files = [...NAMES, SHOP];
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ ...OPTIONS, files, include: [] }),
  );
  said = await compile();
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

async function compile(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { stdout } = await promisify(execFile)(process.execPath, [TSC, "-p", "."], {
    cwd: folder,
  }).catch((error: { readonly stdout: string }) => error);
  // A message goes on in lines that are indented.
  const messages = stdout.trim().split(/\n(?! )/u);
  return new Map(
    messages.map((message) => [message.slice(0, message.indexOf("(")), message.split("\n")]),
  );
}

describe("S5-045 the compiler tells a usual mistake in at most three lines", () => {
  it("of twenty and more, each in the file that makes it", () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(20);
    expect([...said.keys()].toSorted()).toEqual(NAMES.toSorted());
  });

  it.each(NAMES)("%s", async (name) => {
    const [first = ""] = (await readFile(join(SOURCES, name), "utf8")).split("\n");
    const lines = said.get(name) ?? [];
    expect(lines.join("\n")).toContain(first.replace("// The compiler says: ", ""));
    expect(lines.length).toBeLessThanOrEqual(3);
  });
});
