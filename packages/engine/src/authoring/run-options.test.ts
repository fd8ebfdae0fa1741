import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../core/default-limits.ts";
import { parseRunOptions } from "./run-options.ts";

it("S6-023 a list of tags with holes is refused, as a tag that is no text is", () => {
  const tags = Object.assign(Array<string>(2), { 1: "eu" });
  const refused = expect.objectContaining({ code: "INVALID_REQUEST" });
  expect(() => parseRunOptions({ tags }, DEFAULT_LIMITS, 0)).toThrow(refused);
});
