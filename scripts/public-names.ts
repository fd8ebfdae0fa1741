/**
 * Check: every name that a package publishes has hover text, and there are no more of them than `MAX_NAMES`.
 *
 *   tsx scripts/public-names.ts            the check
 *   tsx scripts/public-names.ts --list     every entry with its names first
 */
import { reportFindings } from "./findings.ts";
import { type PublicEntry, withPublicEntries } from "./public-entries.ts";

/** Different names that users import or write. Lower it when some go; raise it when users need one more. */
const MAX_NAMES = 152;

const entries = withPublicEntries((loaded) => loaded);
const countOf = (some: readonly PublicEntry[]): number =>
  new Set(some.flatMap(({ names }) => names.map(({ id }) => id))).size;
const written = entries.filter(({ isKit, isForDeclarations }) => !isKit && !isForDeclarations);
const count = countOf(written);
const named = countOf(entries.filter(({ isKit }) => !isKit)) - count;
if (process.argv.includes("--list")) {
  for (const { specifier, names } of entries)
    console.log(`${specifier} (${names.length}): ${names.map(({ name }) => name).join(", ")}`);
}
reportFindings(
  [
    ...entries.flatMap(({ specifier, names, options }) =>
      [...names, ...options]
        .filter(({ hoverText }) => hoverText === "")
        .map(({ name }) => `${specifier}: ${name} has no doc comment`),
    ),
    ...(count > MAX_NAMES ? [`${count} public names, of at most ${MAX_NAMES}`] : []),
  ],
  `${count} public names of ${entries.length} entries, ${named} more that declarations name, ${countOf(entries) - count - named} in kits`,
);
