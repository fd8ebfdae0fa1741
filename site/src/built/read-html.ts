/** Links and ids of a built page. */

/** Where a link inside the site stands, and where it leads: a path, and the id of a heading or nothing. */
export interface SiteLink {
  readonly from: string;
  readonly path: string;
  readonly id: string;
}

/** Links of the page at `from`. */
export function readLinks(from: string, html: string): SiteLink[] {
  return [...html.matchAll(/<a [^>]*?href="(?<href>[^"]+)"/g)]
    .map(({ groups }) => new URL(unescape(groups?.["href"] ?? ""), `http://site${from}`))
    .filter(({ host }) => host === "site")
    .map(({ pathname, hash }) => ({ from, path: pathname, id: decodeURIComponent(hash.slice(1)) }));
}

/** Ids that a link can lead to. */
export function readIds(html: string): ReadonlySet<string> {
  return new Set(
    [...html.matchAll(/ id="(?<id>[^"]+)"/g)].map(({ groups }) => groups?.["id"] ?? ""),
  );
}

const unescape = (text: string): string => text.replaceAll("&amp;", "&");
