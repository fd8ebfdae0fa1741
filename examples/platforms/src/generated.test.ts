import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Deployment } from "@escapement/engine/adapter";
import { expect, test } from "vitest";
import { PLATFORMS, PLATFORMS_FOLDER } from "./platforms.ts";

const platforms = PLATFORMS.filter((name) => existsSync(programOf(name)));
/** ESCAPEMENT_WRITE_CONFIG=1 writes what is stale. */
const writes = process.env["ESCAPEMENT_WRITE_CONFIG"] === "1";

test.each(platforms)("what %s commits is what its adapter's deploy gives", async (name) => {
  for (const { files } of await loadDeployments(name)) {
    for (const { path, text } of files) {
      const file = `${PLATFORMS_FOLDER}${name}/${path}`;
      if (writes) mkdirSync(dirname(file), { recursive: true });
      if (writes) writeFileSync(file, text);
      expect(readFileSync(file, "utf8"), `${name}/${path}`).toBe(text);
    }
  }
});

test.each(platforms)("the page of %s shows every command that deploys it", async (name) => {
  const readme = readFileSync(`${PLATFORMS_FOLDER}${name}/README.md`, "utf8");
  const commands = (await loadDeployments(name)).flatMap((deployment) => deployment.commands);
  for (const command of commands) expect(readme).toContain(command);
});

function programOf(name: string): string {
  return `${PLATFORMS_FOLDER}${name}/src/deploy.ts`;
}

async function loadDeployments(name: string): Promise<readonly Deployment[]> {
  const module = (await import(programOf(name))) as { readonly deployments: readonly Deployment[] };
  return module.deployments;
}
