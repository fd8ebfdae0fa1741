/** Which combinations of `create-escapement` a run of the tests makes: a common one and another, in turn, or those that were asked for. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ofToday, today } from "@escapement-internal/test-servers";

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
 * @param wish names as `node+sqlite,node+sqlite+next`; without one, a common one and another, which change daily
 * @throws {RangeError} there is no such combination
 */
export function chooseCombinations(
  all: readonly Combination[],
  wish = "",
  day: number = today(),
): readonly Combination[] {
  const others = all.map(nameOf).filter((name) => !COMMON.includes(name));
  const turns = [...ofToday(COMMON, 1, day), ...ofToday(others, 1, day)];
  return (wish === "" ? turns : wish.split(",")).map((name) => {
    const found = all.find((each) => nameOf(each) === name);
    if (found === undefined) throw new RangeError(`there is no combination ${name}`);
    return found;
  });
}

/** For instance `node+sqlite`, or `node+sqlite+next`. */
export const nameOf = ({ platform, framework, database }: Combination): string =>
  [platform, database, ...(framework === "none" ? [] : [framework])].join("+");
