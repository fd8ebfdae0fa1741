/** Which combinations of `create-escapement` a run of the tests makes: a common one and another, in turn, or those that were asked for. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface Combination {
  readonly platform: string;
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
  const table = help
    .slice(help.indexOf("this text"))
    .matchAll(/^ {2}([\w-]+) +([\w-]+(?:, [\w-]+)*)$/gm);
  return [...table].flatMap(([, platform = "", databases = ""]) =>
    databases.split(", ").map((database) => ({ platform, database })),
  );
}

/**
 * @param wish `all`, or names as `node+sqlite,vercel+neon`; without one, a common one and another, which change daily
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

/** For instance `node+sqlite`. */
export const nameOf = ({ platform, database }: Combination): string => `${platform}+${database}`;
