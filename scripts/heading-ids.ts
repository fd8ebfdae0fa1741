/** The ids that headings of a Markdown page get, on the code host as on the site. */

/** Id of a heading: lower case, punctuation away, hyphens for spaces. */
export function toHeadingId(heading: string): string {
  return heading
    .replaceAll(/\[(?<text>[^\]]*)\]\([^)]*\)/g, "$<text>")
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

/** Ids of all headings of a page; one that comes again gets a number. */
export function listHeadingIds(page: string): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { groups } of withoutCode(page).matchAll(/^#{1,6} +(?<heading>.+)$/gm)) {
    const id = toHeadingId(groups?.["heading"] ?? "");
    let unique = id;
    for (let count = 1; ids.has(unique); count += 1) unique = `${id}-${count}`;
    ids.add(unique);
  }
  return ids;
}

/** A page's text without its code fences, in which a `#` is no heading and a bracket no link. */
export function withoutCode(page: string): string {
  return page.replaceAll(/^ *```.*?^ *```$/gms, "");
}
