/** Puts the README of two layers together, in the order in which somebody follows it. */

/** What runs needs its database first. */
const ORDER = ["## Database", "## Run", "## Test", "## Before the first deployment", "## Deploy"];

export function joinPages(before: string, after: string): string {
  const sections = [before, after].flatMap((page) => page.split(/\n(?=## )/));
  return sections
    .map((section) => section.trim())
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .join("\n\n")
    .concat("\n");
}

/** What has no place of its own is the introduction. */
const placeOf = (section: string): number =>
  ORDER.findIndex((heading) => section.split("\n")[0] === heading);
