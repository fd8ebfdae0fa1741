/** Which combinations of `create-escapement` a run of the tests makes: five in turn, or those that were asked for. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { today } from "@escapement-internal/test-servers";
import { type Combination, nameOf } from "./combination.ts";
import { takeTurns } from "./rotation.ts";

const MAIN = fileURLToPath(
  new URL("../../../packages/create-escapement/src/main.ts", import.meta.url),
);

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
 * @param wish names as `node+sqlite,node+sqlite+next`; without one, five, which change daily
 * @throws {RangeError} there is no such combination
 */
export function chooseCombinations(
  all: readonly Combination[],
  wish = "",
  day: number = today(),
): readonly Combination[] {
  if (wish === "") return takeTurns(all, day);
  return wish.split(",").map((name) => {
    const found = all.find((each) => nameOf(each) === name);
    if (found === undefined) throw new RangeError(`there is no combination ${name}`);
    return found;
  });
}
