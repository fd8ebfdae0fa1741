import { expect, test } from "vitest";
import { ERROR_FACTS } from "../packages/engine/src/core/error-facts.ts";
import { type ErrorCode, statusOf } from "../packages/engine/src/core/error-codes.ts";
import { renderErrorPages } from "./error-pages.ts";

test("every error code has a page that says when, what to do and the status", () => {
  const pages = renderErrorPages(ERROR_FACTS);
  for (const [code, facts] of Object.entries(ERROR_FACTS)) {
    const page = pages.get(`${code}.md`) ?? "";
    for (const text of [code, facts.when, facts.fix, String(statusOf(code as ErrorCode))])
      expect(page).toContain(text);
    expect(pages.get("README.md")).toContain(`(${code}.md)`);
  }
});
