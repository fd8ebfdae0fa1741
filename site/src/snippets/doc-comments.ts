/** The examples in doc comments, which the reference shows. */
import { withPublicEntries } from "../../../scripts/public-entries.ts";
import { readSnippets, type Snippet } from "./read-snippets.ts";

/** An example for each fence of a public name's doc comment, with the imports of what its own entry gives. */
export function readDocCommentSnippets(): Snippet[] {
  return withPublicEntries((entries) =>
    entries.flatMap(({ specifier, names }) =>
      names.flatMap(({ name, hoverText }) =>
        readSnippets(`${specifier} ${name}`, hoverText).map((snippet) => {
          const used = names.filter((other) => mentions(snippet.code, other.name));
          const list = used.map((other) => other.name).join(", ");
          const code = `import { ${list} } from "${specifier}";${snippet.code}`;
          return { page: snippet.page, line: snippet.line, file: snippet.file, code };
        }),
      ),
    ),
  );
}

function mentions(code: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(code);
}
