import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "./default-limits.ts";
import { parseStepName, parseWorkflowName } from "./limits.ts";
import { parseEventType } from "./event-type.ts";
import { parseInstanceId } from "./request-ids.ts";

const text = (length: number): string => "x".repeat(length);

describe("ids", () => {
  it.each(["a", "_a", "0", "A-b_c", text(100)])(
    "S0-158 S0-159 %j is a valid id and event type",
    (id) => {
      expect(parseInstanceId(id, DEFAULT_LIMITS)).toBe(id);
      expect(parseEventType(id, DEFAULT_LIMITS)).toBe(id);
    },
  );

  it.each(["", "-a", "a b", "../etc", "ä", "a\u0000", "a.b", "a/b", "a\n", text(101), 7, null])(
    "S0-158 S0-159 %j is refused",
    (id) => {
      expect(() => parseInstanceId(id, DEFAULT_LIMITS)).toThrow(
        expect.objectContaining({ code: "INVALID_INSTANCE_ID" }),
      );
      expect(() => parseEventType(id, DEFAULT_LIMITS)).toThrow(
        expect.objectContaining({ code: "INVALID_EVENT_TYPE" }),
      );
    },
  );
});

describe("names", () => {
  it("S0-157 a workflow name has at most 64 characters", () => {
    expect(parseWorkflowName(text(64), DEFAULT_LIMITS)).toBe(text(64));
    expect(() => parseWorkflowName(text(65), DEFAULT_LIMITS)).toThrow(
      expect.objectContaining({ code: "INVALID_WORKFLOW_NAME" }),
    );
    expect(() => parseWorkflowName("", DEFAULT_LIMITS)).toThrow(
      expect.objectContaining({ code: "INVALID_WORKFLOW_NAME" }),
    );
  });

  it("S0-160 a step name has at most 256 characters, of any kind that a database can hold", () => {
    expect(parseStepName(` ${text(256)} `, DEFAULT_LIMITS)).toBe(text(256));
    expect(parseStepName("schritt über 🙂", DEFAULT_LIMITS)).toBe("schritt über 🙂");
    for (const bad of [text(257), "   ", "a\u0000", "\uD800", "\uDC00", undefined]) {
      expect(() => parseStepName(bad, DEFAULT_LIMITS)).toThrow(
        expect.objectContaining({ code: "INVALID_STEP_NAME" }),
      );
    }
  });

  it("S0-156 a host can set its own limit", () => {
    expect(() => parseStepName("abc", { ...DEFAULT_LIMITS, maxStepNameLength: 2 })).toThrow(
      expect.objectContaining({ details: { maxLength: 2 } }),
    );
  });
});
