/** Pages of the reference: one for each entry point of the published packages, made of its doc comments. */
import {
  type PublicEntry,
  type PublicName,
  withPublicEntries,
} from "../../../scripts/public-entries.ts";
import { toPageName } from "./page-name.ts";

/** Tags that say something to users, with the words before them. */
const TAGS: Readonly<Record<string, string>> = {
  throws: "Throws",
  returns: "Returns",
  default: "Default:",
  deprecated: "Deprecated:",
};

/** Text by path on the site. */
export function renderReference(): ReadonlyMap<string, string> {
  return withPublicEntries(
    (entries) =>
      new Map([
        ["reference/index.md", renderIndex(entries)],
        ...entries.map((entry): [string, string] => [
          `reference/${toPageName(entry.specifier)}.md`,
          renderEntry(entry),
        ]),
      ]),
  );
}

function renderIndex(entries: readonly PublicEntry[]): string {
  const rows = entries.map(
    ({ specifier, about, names }) =>
      `| [\`${specifier}\`](./${toPageName(specifier)}.md) | ${names.length} | ${toLine(about)} |`,
  );
  return [
    "# Reference",
    "",
    "Every name that the packages publish, by the specifier that you import it from.",
    "",
    "| import from | names | for |",
    "| --- | ---: | --- |",
    ...rows,
    "",
  ].join("\n");
}

function renderEntry({ specifier, about, names, options }: PublicEntry): string {
  const sections = [...toSections(names), ...toSections(options)];
  return [`# \`${specifier}\``, about, ...sections].join("\n\n");
}

function toSections(names: readonly PublicName[]): string[] {
  const sorted = names.toSorted((one, other) => one.name.localeCompare(other.name, "en"));
  return sorted.map((name) => renderName(name));
}

function renderName({ name, hoverText, tags, signature }: PublicName): string {
  const notes = tags
    .filter((tag) => tag.name in TAGS)
    .map((tag) => `- ${TAGS[tag.name] ?? ""} ${toLine(tag.text ?? "")}`);
  const examples = tags
    .filter((tag) => tag.name === "example")
    .map((tag) => (tag.text ?? "").trim());
  return [
    `## ${name} {#${name}}`,
    toProse(hoverText),
    `\`\`\`typescript\n${signature()}\n\`\`\``,
    ...(notes.length === 0 ? [] : [toProse(notes.join("\n"))]),
    ...examples,
  ].join("\n\n");
}

/** `{WorkflowError} CODE — why` and `{@link Name}` as Markdown has them. */
function toProse(text: string): string {
  return text
    .replaceAll(/\{@link (?<name>[^}]+)\}/g, "`$<name>`")
    .replaceAll(/(?<=Throws )\{(?<type>\w+)\}/g, "`$<type>`");
}

function toLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, " ");
}
