/**
 * Imports of computed names, in what is published. The compiler puts a helper around them that rewrites `.ts` to `.js`. Ours name drivers
 * and files of the user, so there is nothing to rewrite, and bundlers cannot stand the helper: Rollup warns of its `this`, and Terser
 * inlines it into `import(a, b)`, which means something else.
 */

const NAME = "__rewriteRelativeImportExtension";
const HELPER = new RegExp(`^var ${NAME} = .*?^};$`, "ms");

/** Removes the helper from compiled code. Lines stay where they are, for the source map. */
export const withPlainImports = (code: string): string =>
  code
    .replace(HELPER, (helper) => "\n".repeat(helper.split("\n").length - 1))
    .replaceAll(`import(${NAME}(`, "import((");
