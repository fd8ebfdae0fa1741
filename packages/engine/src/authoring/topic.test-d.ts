/** Types of messages, and the compiler's errors for mistakes. */
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createEngine, defineTopic, type Engine, type Topic, type WorkflowStep } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

declare const step: WorkflowStep;
declare const anyEngine: Engine;

const priced = defineTopic({ name: "priced", schema: z.object({ cents: z.number() }) });
const opened = defineTopic({ name: "opened", schema: z.undefined() });
const noted = defineTopic({ name: "noted", schema: z.string().optional() });
const plain = defineTopic({ name: "plain" });

const listed = defineTopic({
  name: "listed",
  schema: z.object({
    at: z.iso.datetime().transform((text) => new Date(text)),
    cents: z.number().default(0),
  }),
});

describe("emit", () => {
  it("takes what the topic's schema takes, like create and sendEvent; waits get what it returns", async () => {
    void step.emit(listed, { at: "2027-01-01T00:00:00Z" });
    void anyEngine.emit(listed, { at: "2027-01-01T00:00:00Z", cents: 1 });
    // @ts-expect-error what the schema returns
    void step.emit(listed, { at: new Date(0), cents: 1 });
    // @ts-expect-error what the schema returns
    void anyEngine.emit(listed, { at: new Date(0), cents: 1 });
    const { payload } = await step.waitForTopic("a", listed);
    expectTypeOf(payload).toEqualTypeOf<Readonly<{ at: Date; cents: number }>>();
    const sample = defineTopic({ name: "sample", schema: z.number().default(1) });
    void step.emit(sample);
    expectTypeOf((await step.waitForTopic("b", sample)).payload).toEqualTypeOf<number>();
  });

  it("goes with a topic that is named by what it carries, whatever its schema takes", async () => {
    const named: Topic<{ at: Date; cents: number }, { at: string }> = listed;
    void step.emit(named, { at: "2027-01-01T00:00:00Z" });
    const plainly: Topic<number> = defineTopic({ name: "count", schema: z.number().default(1) });
    void step.emit(plainly, 1);
    // @ts-expect-error as it is named, it takes a number
    void step.emit(plainly);
    const all: Topic[] = [listed, plainly];
    createEngine({ workflows: {}, store: createMemoryStore(), topics: all });
    const pass = <T>(topic: Topic<T>, message: T): Promise<void> => step.emit(topic.name, message);
    void pass(plainly, 1);
  });

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
