import { expect, test } from "vitest";
import { withPlainImports } from "./plain-imports.ts";

/** As the compiler writes it. */
const HELPER = `var __rewriteRelativeImportExtension = (this && this.__rewriteRelativeImportExtension) || function (path, preserveJsx) {
    if (typeof path === "string") {
        return path;
    }
    return path;
};`;

test("an import of a computed name is published as it was written: without a helper that reads `this`, and that minifiers inline into it", () => {
  const compiled = `${HELPER}
import { a } from "./a.js";
const load = async (name) => await import(__rewriteRelativeImportExtension(/* webpackIgnore: true */ name));
`;
  const published = withPlainImports(compiled);
  expect(published).toContain("await import((/* webpackIgnore: true */ name));");
  expect(published).not.toContain("__rewrite");
  // Its source map counts lines.
  expect(published.split("\n").length).toBe(compiled.split("\n").length);
  expect(published.split("\n")[6]).toBe('import { a } from "./a.js";');
});

test("other code stays as it is", () => {
  const code = 'export const late = () => import("./late.js");\n';
  expect(withPlainImports(code)).toBe(code);
});
