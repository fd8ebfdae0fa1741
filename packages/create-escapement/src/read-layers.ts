/** The files of a project, from its folders of `templates`: later ones override earlier ones, and some are joined. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { joinPages } from "./join-pages.ts";
import { mergeManifests } from "./merge-manifests.ts";

/** Text by path in the project. */
export type ProjectFiles = ReadonlyMap<string, string>;

const TEMPLATES = fileURLToPath(new URL("../templates/", import.meta.url));
/** The project's name in the templates. */
const PLACEHOLDER = /escapement-app/g;
/** Each layer adds to these files; of any other file, the last layer's version is used. */
const JOINED: Readonly<Record<string, (before: string, after: string) => string>> = {
  "package.json": mergeManifests,
  "README.md": joinPages,
  ".env.example": (before, after) => `${before}\n${after}`,
};

export function readLayers(layers: readonly string[], name: string): ProjectFiles {
  const files = new Map<string, string>();
  for (const layer of layers) {
    for (const source of listFiles(`${TEMPLATES}${layer}`)) {
      const text = readFileSync(`${TEMPLATES}${layer}/${source}`, "utf8");
      const path = toProjectPath(source);
      const before = files.get(path);
      files.set(path, before === undefined ? text : (JOINED[path]?.(before, text) ?? text));
    }
  }
  const named = [...files].map(([path, text]) => [toNamed(path), toNamed(text)] as const);
  return new Map(named);

  function toNamed(text: string): string {
    return text.replaceAll(PLACEHOLDER, name);
  }
}

/** npm leaves out some names when it packs, and tools pick up others: `dot-gitignore`, `project.tsconfig.json`. */
function toProjectPath(source: string): string {
  return source.replace(/(^|\/)dot-(?=[^/]+$)/, "$1.").replace(/^project\./, "");
}

function listFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(folder.length + 1))
    .toSorted();
}
