import { describe } from "vitest";
import { SEEN_PROGRAMS } from "./seen-programs.ts";
import { provePrograms } from "./prove-programs.ts";

describe("S3-019 S3-031 S3-033 S3-036 S3-038 S3-052 S4-038 S4-040 S4-051 S6-001 S6-003 S6-004 S6-010 what is seen on the way", () => {
  provePrograms(SEEN_PROGRAMS);
});
