/** Types of messages, and the compiler's errors for mistakes. */
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createEngine, defineTopic, type Engine, type WorkflowStep } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

declare const step: WorkflowStep;
declare const anyEngine: Engine;

const priced = defineTopic({ name: "priced", schema: z.object({ cents: z.number() }) });
const opened = defineTopic({ name: "opened", schema: z.undefined() });
const noted = defineTopic({ name: "noted", schema: z.string().optional() });
const plain = defineTopic({ name: "plain" });

describe("emit", () => {
  it("asks for the payload where the topic's schema cannot do without", () => {
    void step.emit(priced, { cents: 1 }, { id: "a" });
    void anyEngine.emit(priced, { cents: 1 });
    // @ts-expect-error a payload is needed
    void step.emit(priced);
    // @ts-expect-error a payload is needed
    void anyEngine.emit(priced);
    // @ts-expect-error of another type
    void step.emit(priced, { cents: "1" });
    // @ts-expect-error misspelt
    void anyEngine.emit(priced, { cents: 1 }, { ids: "a" });
  });

  it("leaves it out where it may be undefined, or nothing says what it is", () => {
    void step.emit(opened);
    void step.emit(noted);
    void step.emit(noted, undefined, { id: "a" });
    void step.emit(plain);
    void step.emit(plain, { any: "thing" });
    void step.emit("by-name");
    void anyEngine.emit("by-name", 1, { id: "a" });
    // @ts-expect-error it has none
    void step.emit(opened, 1);
  });

  it("goes with waits for the same payload, and engines of all topics", async () => {
    createEngine({ workflows: {}, store: createMemoryStore(), topics: [priced, opened, plain] });
    expectTypeOf((await step.waitForTopic("a", noted)).payload).toEqualTypeOf<string | undefined>();
  });
});
