import { describe } from "vitest";
import { provePrograms } from "./prove-programs.ts";
import { END_PROGRAMS } from "./end-programs.ts";

describe("S3-032 S3-043 S4-009 S4-039 S6-009 S6-010 S6-020 S6-023 ends", () => {
  provePrograms(END_PROGRAMS);
});
