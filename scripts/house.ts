/** Check: the house rules that no linter knows. */
import { isProgram, reportFindings } from "./findings.ts";
import { isTestFile, lineOf, listFiles, readProjectFile } from "./project-files.ts";

const SOURCE = /^(packages|adapters)\/[^/]+\/src\/.*\.tsx?$/;
const CODE = /\.(tsx?|mjs)$/;
const TEXT = /\.(tsx?|mjs|json|md|ya?ml|sql|css|html|csv)$|^\.ci\/|^[^/]+$/;
const GENERATED = new Set(["pnpm-lock.yaml", "packages/dashboard/src/generated-assets.ts"]);
/** These files name what they look for. */
const RULE_BOOKS = new Set(["scripts/house.ts", "scripts/house.test.ts"]);

/** Of all files of an adapter; of one file, the linter counts them. */
const ADAPTER_LINES_MAX = 470;

interface TextRule {
  readonly applies: (path: string) => boolean;
  readonly pattern: RegExp;
  readonly why: string;
}

const isSource = (path: string): boolean => SOURCE.test(path) && !isTestFile(path);

const TEXT_RULES: readonly TextRule[] = [
  {
    applies: (path) =>
      isSource(path) && !path.endsWith("/errors.ts") && !path.includes("/testing/"),
    pattern: /\bnew Error\(|\bthrow Error\(/g,
    why: "throw an error with a code (errors.ts)",
  },
  {
    applies: (path) => isSource(path) && path.startsWith("packages/engine/"),
    // Clocks of tests stand still while code is loaded, which only what goes through `late` tells.
    pattern: /(?<!\btypeof )(?<!\blate\(\s*\(\) =>\s+)\bimport\(\s*["'`]/g,
    why: "load it by `late(() => import(…))` (core/late.ts)",
  },
  { applies: () => true, pattern: /\b(TODO|FIXME|XXX)\b/g, why: "do it, or open an issue" },
  {
    applies: () => true,
    pattern: /(?<![\w.~-])\/(work|home|root|Users)\/[\w.-]+/g,
    why: "a path of one machine",
  },
  {
    applies: () => true,
    pattern: /\bregistry\.[a-z]+\.(org|com)\b|\bnpm\.pkg\.[a-z]+\.com\b/g,
    why: "a registry's host",
  },
  {
    applies: (path) => CODE.test(path),
    pattern: /(eslint|oxlint)-disable(?!-(next-)?line\b)/g,
    why: "disable a rule for one line, with the reason",
  },
];

/** Broken house rules of one file, as lines to print. */
export function findHouseBreaks(path: string, text: string): string[] {
  if (RULE_BOOKS.has(path) || GENERATED.has(path)) return [];
  const name = path.split("/").at(-1) ?? path;
  const findings: string[] = [];
  if (/^(utils?|helpers?|common|misc)\.ts$/.test(name))
    findings.push(`${path}: name it by what it does`);
  for (const rule of TEXT_RULES) {
    if (!rule.applies(path)) continue;
    for (const match of text.matchAll(rule.pattern)) {
      findings.push(`${path}:${lineOf(text, match.index)}: ${match[0]}: ${rule.why}`);
    }
  }
  return findings;
}

function findOversizeAdapters(paths: readonly string[]): string[] {
  const linesByAdapter = new Map<string, number>();
  for (const path of paths) {
    const adapter = /^adapters\/([^_/][^/]*)\/src\//.exec(path)?.[1];
    // What writes a deployment's files runs nowhere that the adapter does.
    if (adapter === undefined || !isSource(path) || path.endsWith("/deploy.ts")) continue;
    const lines = readProjectFile(path).trimEnd().split("\n").length;
    linesByAdapter.set(adapter, (linesByAdapter.get(adapter) ?? 0) + lines);
  }
  return [...linesByAdapter]
    .filter(([, lines]) => lines > ADAPTER_LINES_MAX)
    .map(
      ([adapter, lines]) =>
        `adapters/${adapter}: ${lines} lines, the limit is ${ADAPTER_LINES_MAX}`,
    );
}

if (isProgram(import.meta.url)) {
  const paths = listFiles((path) => TEXT.test(path));
  const findings = paths.flatMap((path) => findHouseBreaks(path, readProjectFile(path)));
  reportFindings(
    [...findings, ...findOversizeAdapters(paths)],
    `house rules of ${paths.length} files`,
  );
}
