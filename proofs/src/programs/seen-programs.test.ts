import { describe } from "vitest";
import { SEEN_PROGRAMS } from "./seen-programs.ts";
import { provePrograms } from "./prove-programs.ts";

describe("what is seen on the way", () => {
  provePrograms(SEEN_PROGRAMS);
});
