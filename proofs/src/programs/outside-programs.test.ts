import { describe } from "vitest";
import { OUTSIDE_PROGRAMS } from "./outside-programs.ts";
import { provePrograms } from "./prove-programs.ts";

describe("what is seen from outside", () => {
  provePrograms(OUTSIDE_PROGRAMS);
});
