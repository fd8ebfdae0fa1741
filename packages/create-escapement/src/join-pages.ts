/** Joins the READMEs of two layers, in the order in which a reader follows them. */

/** The database comes before the program that needs it. */
const ORDER = ["## Database", "## Run", "## Test", "## Before the first deployment", "## Deploy"];

export function joinPages(before: string, after: string): string {
  const sections = [before, after].flatMap((page) => page.split(/\n(?=## )/));
  return sections
    .map((section) => section.trim())
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .join("\n\n")
    .concat("\n");
}

/** A section without a place of its own is the introduction. */
const placeOf = (section: string): number =>
  ORDER.findIndex((heading) => section.split("\n")[0] === heading);
