import { expect, it } from "vitest";
import { checkTypes } from "./snippets/check-types.ts";
import { readDocCommentSnippets } from "./snippets/doc-comments.ts";
import { createExcerptFinder } from "./snippets/excerpts.ts";
import { listPages, readSnippets } from "./snippets/read-snippets.ts";
import { writeProgram } from "./snippets/write-program.ts";

const WRONG = "Text.\n\n`src/main.ts`:\n\n```ts\nconst one = 1;\nconst two: string = one;\n```\n";

it(
  "S8-017 every snippet of the pages, the READMEs and the doc comments compiles; one that does not is told at its line of the page",
  { timeout: 240_000 },
  () => {
    const findExcerpt = createExcerptFinder();
    const onPages = listPages().flatMap((page) => readSnippets(page));
    const inComments = readDocCommentSnippets();
    expect(onPages.length).toBeGreaterThan(90);
    expect(inComments.length).toBeGreaterThan(3);
    // An excerpt of an example's source is compiled there.
    const own = onPages.filter((snippet) => findExcerpt(snippet) === undefined);
    // With them, so that the compiler reads the packages once.
    const wrong = readSnippets("docs/wrong.md", WRONG);
    expect(checkTypes(writeProgram([...own, ...inComments, ...wrong]))).toEqual([
      "docs/wrong.md:7 error TS2322: Type 'number' is not assignable to type 'string'.",
    ]);
  },
);
