/** Which pages of the repository the site has, and where. */
import { listFiles } from "../../../scripts/project-files.ts";

/** Pages that are not at their own path below `docs`, `packages` and so on. */
const PLACED: Readonly<Record<string, string>> = {
  "README.md": "overview.md",
  "CONTRIBUTING.md": "project/contributing.md",
  "SECURITY.md": "project/security.md",
  "CHANGELOG.md": "project/changelog.md",
  "adapters/_contract/README.md": "packages/adapter-contract.md",
  "packages/engine/src/core/model/README.md": "packages/data-model.md",
};

/** Path on the site of a page of the repository; undefined: the site has no such page. */
export function toSitePath(path: string): string | undefined {
  const placed = PLACED[path];
  if (placed !== undefined) return placed;
  if (path.startsWith("docs/"))
    return path.slice("docs/".length).replace(/README\.md$/, "index.md");
  const readme = /^(?<room>packages|adapters|examples)\/(?<name>.+)\/README\.md$/.exec(path);
  if (readme === null) return undefined;
  const { room = "", name = "" } = readme.groups ?? {};
  return `${room === "examples" ? "examples" : "packages"}/${name}.md`;
}

/** Paths in the repository, with those on the site. */
export function listSitePages(): ReadonlyMap<string, string> {
  const pages = listFiles((path) => path.endsWith(".md") && !path.startsWith("site/"));
  return new Map(
    pages.flatMap((page) => {
      const path = toSitePath(page);
      return path === undefined ? [] : [[page, path] as const];
    }),
  );
}
