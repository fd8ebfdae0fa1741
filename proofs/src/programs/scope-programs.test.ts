import { describe } from "vitest";
import { provePrograms } from "./prove-programs.ts";
import { SCOPE_PROGRAMS } from "./scope-programs.ts";

describe("S3-011 S3-012 S3-013 S3-014 S3-016 S3-017 S3-018 S3-034 S3-035 S3-036 S3-037 S3-038 S3-039 S3-040 S3-041 S3-042 S3-045 S3-047 S3-051 S3-053 S5-025 S6-001 S6-003 S6-004 S6-005 S6-007 S6-008 S6-011 S6-018 scopes", () => {
  provePrograms(SCOPE_PROGRAMS);
});
