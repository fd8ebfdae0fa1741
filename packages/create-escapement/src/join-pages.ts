/** Joins the READMEs of two layers, in the order in which a reader follows them. */

/** The database comes before the program that needs it. */
const ORDER = ["## Database", "## Run", "## Test", "## Before the first deployment", "## Deploy"];

/** A section that both have is one, with the second layer's text at its end. */
export function joinPages(before: string, after: string): string {
  const sections = new Map<string, string>();
  for (const section of [before, after].flatMap((page) => page.split(/\n(?=## )/))) {
    const heading = headingOf(section);
    const known = sections.get(heading);
    const added = section.slice(heading.length).trim();
    sections.set(heading, known === undefined ? section.trim() : `${known}\n\n${added}`.trim());
  }
  return [...sections]
    .toSorted(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b))
    .map(([, text]) => text)
    .join("\n\n")
    .concat("\n");
}

/** A section without a place of its own is the introduction. */
const headingOf = (section: string): string => {
  const [line = ""] = section.split("\n");
  return line.startsWith("## ") ? line : "";
};
