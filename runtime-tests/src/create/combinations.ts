/** Which combinations of `create-escapement` a run of the tests makes: a common one and another, in turn, or those that were asked for. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface Combination {
  readonly platform: string;
  readonly framework: string;
  readonly database: string;
}

const MAIN = fileURLToPath(
  new URL("../../../packages/create-escapement/src/main.ts", import.meta.url),
);
/** What most people make: one of them each day. */
const COMMON = ["node+sqlite", "node+postgres"];
const DAY_MS = 86_400_000;

/** As `--help` lists them. */
export function readCombinations(): readonly Combination[] {
  const args = ["--import", import.meta.resolve("tsx"), MAIN, "--help"];
  const help = execFileSync(process.execPath, args, { encoding: "utf8" });
  const frameworks = readTable(help, "framework");
  return [...readTable(help, "database")].flatMap(([platform, databases]) =>
    (frameworks.get(platform) ?? []).flatMap((framework) =>
      databases.map((database) => ({ platform, framework, database })),
    ),
  );
}

/** Names by platform. */
function readTable(help: string, heading: string): ReadonlyMap<string, readonly string[]> {
  const [, table = ""] = help.split(`  platform    ${heading}\n`);
  const lines = table.split("\n\n")[0]?.matchAll(/^ {2}([\w-]+) +(.*)$/gm) ?? [];
  return new Map([...lines].map(([, platform = "", names = ""]) => [platform, names.split(", ")]));
}

/**
 * @param wish `all`, or names as `node+sqlite,node+sqlite+next`; without one, a common one and another, which change daily
 * @throws {RangeError} there is no such combination
 */
export function chooseCombinations(
  all: readonly Combination[],
  wish: string | undefined,
  atMs: number,
): readonly Combination[] {
  if (wish === "all") return all;
  const others = all.map(nameOf).filter((name) => !COMMON.includes(name));
  const day = Math.floor(atMs / DAY_MS);
  const turns = [COMMON, others].map((some) => some[day % some.length] ?? "");
  const names = wish === undefined || wish === "" ? turns : wish.split(",");
  return names.map((name) => {
    const found = all.find((each) => nameOf(each) === name);
    if (found === undefined) throw new RangeError(`there is no combination ${name}`);
    return found;
  });
}

/** For instance `node+sqlite`, or `node+sqlite+next`. */
export const nameOf = ({ platform, framework, database }: Combination): string =>
  [platform, database, ...(framework === "none" ? [] : [framework])].join("+");
