import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Deployment } from "@escapement/engine/adapter";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Combination, COMBINATIONS, databasesOf } from "./combinations.ts";
import { layersOf } from "./layers.ts";
import { makeProject } from "./make-project.ts";
import { readLayers } from "./read-layers.ts";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
/** Inside the package, where the adapters are found. */
const PROJECTS = join(PACKAGE, ".cache/projects");
const NAME = "escapement-app";
/** With ESCAPEMENT_WRITE_CONFIG=1, outdated files are written. */
const writes = process.env["ESCAPEMENT_WRITE_CONFIG"] === "1";

beforeAll(() => rmSync(PROJECTS, { recursive: true, force: true }));
afterAll(() => rmSync(PROJECTS, { recursive: true, force: true }));

test.each(COMBINATIONS)(
  "what a project on $platform with $framework and $database deploys is what its adapter's deploy gives",
  async (combination) => {
    const folder = join(PROJECTS, nameOf(combination));
    const deployments = await loadDeployments(combination, folder);
    for (const { path, text } of deployments.flatMap(({ files }) => files)) {
      const read = () => readLayers(layersOf(combination), NAME).get(path);
      if (writes && read() !== text) writeTemplate(combination, path, text);
      expect(read(), path).toBe(text);
    }
  },
);

test.each(COMBINATIONS)(
  "the scripts and pages of $platform with $framework and $database deploy as its adapter says",
  async (combination) => {
    const folder = join(PROJECTS, `scripts-${nameOf(combination)}`);
    const deployments = await loadDeployments(combination, folder);
    const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Scripts;
    const commands = deployments.flatMap((each) => each.commands).filter((each) => !isSecret(each));
    const [last = ""] = commands.slice(-1);
    const isWhole = commands.some((command) => scripts.deploy.includes(toScript(command)));
    expect(isWhole, `${scripts.deploy} has none of ${commands.join("\n")}, ${last}`).toBe(true);
  },
);

const nameOf = (combination: Combination): string =>
  [combination.platform, combination.framework, combination.database].join("-");

interface Scripts {
  readonly scripts: { readonly deploy: string };
}

const isSecret = (command: string): boolean => /\benv:?\s?(add|set)\b|secret put/.test(command);

/** Without the parts that the script has in another form: `npx`, and the organization's name. */
const toScript = (command: string): string =>
  command
    .replace(/^npx /, "")
    .replace(/^(vercel|netlify) /, "")
    .replace("acme", '"$DEPLOY_ORG"');

async function loadDeployments(
  combination: Combination,
  folder: string,
): Promise<readonly Deployment[]> {
  makeProject({ ...combination, folder, name: NAME });
  // A framework's own extends what the framework generates.
  writeFileSync(join(folder, "tsconfig.json"), "{}");
  const module = (await import(join(folder, "deploy/deployments.ts"))) as {
    readonly deployments: readonly Deployment[];
  };
  return module.deployments;
}

/** Where the file is, or next to what else the combination has of its own. */
function writeTemplate(combination: Combination, path: string, text: string): void {
  const { platform, framework, database } = combination;
  const name = path.replace(/^\./, "dot-");
  const isFirst = databasesOf(platform)[0] === database;
  const known = layersOf(combination).findLast((layer) =>
    existsSync(join(PACKAGE, "templates", layer, name)),
  );
  const own = `combinations/${platform}-${isFirst ? framework : database}`;
  const file = join(PACKAGE, "templates", (isFirst ? known : undefined) ?? own, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
