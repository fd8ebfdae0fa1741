import { describe } from "vitest";
import { OUTSIDE_PROGRAMS } from "./outside-programs.ts";
import { provePrograms } from "./prove-programs.ts";

describe("S6-016 S6-017 S6-021 what is seen from outside", () => {
  provePrograms(OUTSIDE_PROGRAMS);
});
