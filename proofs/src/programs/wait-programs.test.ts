import { describe } from "vitest";
import { provePrograms } from "./prove-programs.ts";
import { WAIT_PROGRAMS } from "./wait-programs.ts";

describe("S3-019 S3-020 S3-021 S3-022 S3-050 S3-056 S4-004 S4-005 S4-008 S4-011 S4-014 S4-038 S4-050 S6-012 S6-013 S6-014 S6-015 S6-016 S6-017 waits", () => {
  provePrograms(WAIT_PROGRAMS);
});
