/** Links of the repository's pages, as they are on the site. */
import { posix } from "node:path";
import { readProjectFile } from "../../../scripts/project-files.ts";

/** Where the sources are shown: links to anything that is no page lead there. */
const SOURCES = `${readRepositoryUrl()}/blob/main`;
/** Fences and inline code, in which a bracket is no link. */
const CODE = /^ *```.*?^ *```$|`[^`\n]*`/gms;

/** Folders that are pages on the site. */
const FOLDERS: Readonly<Record<string, string>> = { "docs/decisions": "/decisions/" };

/** The text of a page with its links leading to pages of the site, or to the sources. */
export function rewriteLinks(
  page: string,
  text: string,
  sitePages: ReadonlyMap<string, string>,
): string {
  const kept: string[] = [];
  const prose = text.replaceAll(CODE, (code) => `\u0000${kept.push(code) - 1}\u0000`);
  const rewritten = prose.replaceAll(/\]\((?<target>[^)\s]+)\)/g, (_link, target: string) =>
    /^(?:[a-z]+:|#)/.test(target)
      ? `](${target})`
      : `](${toSiteTarget(posix.join(posix.dirname(page), target), sitePages)})`,
  );
  // oxlint-disable-next-line no-control-regex
  return rewritten.replaceAll(/\u0000(?<index>\d+)\u0000/g, (_mark, index: string) => {
    return kept[Number(index)] ?? "";
  });
}

function toSiteTarget(target: string, sitePages: ReadonlyMap<string, string>): string {
  const [file = "", id] = target.split("#");
  const path = file.replace(/\/$/, "");
  const onSite = sitePages.get(path) ?? sitePages.get(`${path}/README.md`);
  const anchor = id === undefined ? "" : `#${id}`;
  if (onSite !== undefined) return `/${onSite}${anchor}`;
  if (path.startsWith("docs/images/")) return `/${path.slice("docs/".length)}`;
  return FOLDERS[path] ?? `${SOURCES}/${path}${anchor}`;
}

function readRepositoryUrl(): string {
  const { repository } = JSON.parse(readProjectFile("packages/engine/package.json")) as {
    readonly repository: { readonly url: string };
  };
  return repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
}
