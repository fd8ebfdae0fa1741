import { describe } from "vitest";
import { provePrograms } from "./prove-programs.ts";
import { AGAIN_PROGRAMS } from "./again-programs.ts";

describe("S3-028 S3-029 S3-030 S4-001 S4-002 S4-010 S4-036 S4-037 S4-040 S4-048 S6-021 S6-022 S6-024 runs that begin again", () => {
  provePrograms(AGAIN_PROGRAMS);
});
