/** Writes the site's pages, from the pages and the doc comments of the repository: there is no second copy to keep. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readProjectFile, ROOT } from "../../../scripts/project-files.ts";
import { renderReference } from "../reference/render-reference.ts";
import { composePages } from "./composed-pages.ts";
import { listSitePages } from "./page-paths.ts";
import { rewriteLinks } from "./rewrite-links.ts";

/** What VitePress builds from. */
export const PAGES_FOLDER: string = join(ROOT, "site/.cache/pages");
/** Written for the site alone: the home page. */
const OWN_PAGES = join(ROOT, "site/home");

/** Pictures that pages show. */
const IMAGES = "docs/images";

/** Long lists that would bury everything else in the search. */
const UNSEARCHED = /^(?:conformance\.md|errors\/[A-Z_]+\.md|decisions\/)/;

/** Writes all pages in the place of what was there. Returns how many. */
export function writePages(): number {
  rmSync(PAGES_FOLDER, { recursive: true, force: true });
  cpSync(OWN_PAGES, PAGES_FOLDER, { recursive: true });
  cpSync(join(ROOT, IMAGES), join(PAGES_FOLDER, "public/images"), { recursive: true });
  const count = writeRepositoryPages();
  const reference = renderReference();
  for (const [path, text] of reference) writePage(path, text);
  return count + reference.size;
}

/** Only those that people write, for a server that shows them while they do. Returns how many. */
export function writeRepositoryPages(): number {
  const sitePages = listSitePages();
  for (const [page, path] of sitePages) {
    writePage(path, rewriteLinks(page, readProjectFile(page), sitePages));
  }
  for (const { path, from, text } of composePages()) {
    writePage(path, rewriteLinks(from, text, sitePages));
  }
  return sitePages.size;
}

function writePage(path: string, text: string): void {
  const file = join(PAGES_FOLDER, path);
  mkdirSync(dirname(file), { recursive: true });
  const frontmatter = UNSEARCHED.test(path) ? "---\nsearch: false\n---\n\n" : "";
  writeFileSync(file, `${frontmatter}${text.replaceAll(/^<!--.*?-->$/gms, "")}`);
}
