import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  defineWorkflow,
  NonRetryableError,
  type ReceivedEvent,
  RetryableError,
  type WorkflowDuration,
  type WorkflowEvent,
  type WorkflowInstance,
  type WorkflowInstanceCreateOptions,
  type WorkflowInstanceCreateOptionsWithId,
  type WorkflowStep,
  type WorkflowStepConfig,
} from "../index.ts";
import type { Attempted } from "../types.ts";
import type { StepBody, StepRetries } from "./step-options.ts";

declare const step: WorkflowStep;
declare const unknown: unknown;

describe("authoring types", () => {
  it("S0-005 S0-011 S0-012 the names of Cloudflare's API are exported", () => {
    expectTypeOf<WorkflowDuration>().toExtend<string | number>();
    // Cloudflare's own type, as its runtime declares it: what compiles there compiles here.
    type CloudflareUnit = "second" | "minute" | "hour" | "day" | "week" | "month" | "year";
    type CloudflareDuration = `${number} ${CloudflareUnit}${"s" | ""}` | number;
    expectTypeOf<CloudflareDuration>().toExtend<WorkflowDuration>();
    expectTypeOf(NonRetryableError).toBeConstructibleWith("message", "Name");
    expectTypeOf<WorkflowInstanceCreateOptions<number>>().toHaveProperty("params");
    expectTypeOf<WorkflowInstanceCreateOptionsWithId>()
      .toHaveProperty("id")
      .toEqualTypeOf<string>();
  });

  it("S0-022 a workflow event has payload, timestamp and instanceId", () => {
    expectTypeOf<WorkflowEvent<{ a: number }>>().toEqualTypeOf<{
      readonly payload: Readonly<{ a: number }>;
      readonly timestamp: Date;
      readonly instanceId: string;
    }>();
  });

  it("S0-004 S0-024 S0-025 a step's configuration has Cloudflare's shape", () => {
    const config = {
      retries: { limit: Infinity, delay: "10 seconds", backoff: "linear" },
      timeout: 1000,
    } as const;
    expectTypeOf(config).toExtend<WorkflowStepConfig>();
    // @ts-expect-error backoff is one of three words
    const wrong: WorkflowStepConfig = { retries: { limit: 1, delay: 1, backoff: "random" } };
    void wrong;
  });

  it("S6-024 a policy's functions answer at once: true or false, and a duration", () => {
    expectTypeOf<Parameters<NonNullable<StepRetries["shouldRetry"]>>>().toEqualTypeOf<
      [error: unknown, attempt: number]
    >();
    const retries: StepRetries = {
      limit: 5,
      delay: (attempt, error) => (error instanceof RangeError ? "1 hour" : `${attempt} seconds`),
      shouldRetry: (error) => !(error instanceof TypeError),
    };
    defineWorkflow({ name: "defaults", retries }, () => 1);
    // @ts-expect-error a promise is no answer
    const promised: StepRetries = { limit: 1, shouldRetry: async () => true };
    // @ts-expect-error nor is a value that is merely truthy
    const truthy: StepRetries = { limit: 1, shouldRetry: () => "yes" };
    // @ts-expect-error a delay must not be a promise
    const later: StepRetries = { limit: 1, delay: async () => 5 };
    // @ts-expect-error nor a text that is not a duration
    const text: StepRetries = { limit: 1, delay: () => "soon" };
    void [promised, truthy, later, text];
  });

  it("S6-024 RetryableError takes a duration, an instant, or an HTTP header", () => {
    expectTypeOf(RetryableError).toBeConstructibleWith("message");
    expectTypeOf(RetryableError).toBeConstructibleWith("message", { retryAfter: "5 minutes" });
    expectTypeOf(RetryableError).toBeConstructibleWith("message", { retryAfter: new Date(0) });
    const retryAfterHeader = new Headers().get("retry-after");
    expectTypeOf(RetryableError).toBeConstructibleWith("message", { retryAfterHeader });
    // @ts-expect-error the header's text is not a duration: it counts seconds
    void new RetryableError("message", { retryAfter: "120" });
    // @ts-expect-error misspelt
    void new RetryableError("message", { retryAftr: 5 });
  });

  it("S0-027 S3-047 S4-012 step.do takes a sync or async body, with or without configuration", () => {
    expectTypeOf(step.do("a", () => 1)).resolves.toEqualTypeOf<number>();
    expectTypeOf(step.do("a", async () => "x")).resolves.toEqualTypeOf<string>();
    expectTypeOf(
      step.do("a", { timeout: 1 }, async ({ attempt }) => attempt),
    ).resolves.toEqualTypeOf<number>();
    // @ts-expect-error a body is needed
    void step.do("a", { timeout: 1 });
  });

  it("step.do takes a body whose result is any, unknown, never, branded, or of a helper's own type", () => {
    expectTypeOf(step.do("a", () => JSON.parse("1"))).resolves.toBeAny();
    expectTypeOf(step.do("a", () => unknown)).resolves.toBeUnknown();
    expectTypeOf(step.do("a", () => Promise.reject(new Error("x")))).resolves.toBeNever();
    const id = z.string().brand<"OrderId">();
    expectTypeOf(step.do("a", () => id.parse("x"))).resolves.toEqualTypeOf<z.infer<typeof id>>();
    expectTypeOf(step.do("a", (): { b?: () => void } => ({}))).resolves.toEqualTypeOf<{
      b?: () => void;
    }>();
    const kept: Promise<"a" | "b"> = step.do("a", () => "a");
    const given = <T>(body: StepBody<T>): Promise<T> => step.do("a", body);
    const made = <T extends { readonly id: string }>(make: () => Promise<T>): Promise<T> =>
      step.do("a", { timeout: 1000, undo: ({ id }) => id }, () => make());
    const tried = <T>(value: T): Promise<Attempted<T>> => step.tryDo("a", () => value);
    void [kept, given, made, tried];
  });

  it("refuses a body that returns a function, which cannot be stored", () => {
    // @ts-expect-error of do
    void step.do("a", () => () => 1);
    // @ts-expect-error of an async one
    void step.do("a", async () => (count: number) => count);
    // @ts-expect-error with options
    void step.do("a", { timeout: 1 }, () => () => 1);
    // @ts-expect-error of tryDo
    void step.tryDo("a", () => () => 1);
  });

  it("S0-028 S0-029 S3-047 S3-050 S4-012 sleeps take a duration, or a Date or number", () => {
    expectTypeOf(step.sleep("a", "1 hour")).resolves.toBeVoid();
    expectTypeOf(step.sleepUntil("a", new Date())).resolves.toBeVoid();
    expectTypeOf(step.sleepUntil("a", 5)).resolves.toBeVoid();
  });

  it("S0-030 S3-047 S4-012 waitForEvent resolves to type, payload and timestamp", () => {
    expectTypeOf(
      step.waitForEvent<{ ok: boolean }>("a", { type: "t", timeout: 5000 }),
    ).resolves.toEqualTypeOf<ReceivedEvent<{ ok: boolean }>>();
    expectTypeOf(
      step.tryWaitForEvent("a", { type: "t" }),
    ).resolves.toEqualTypeOf<ReceivedEvent<unknown> | null>();
  });
});

describe("S6-014 receive, reply and ask", () => {
  const events = { order: z.object({ sku: z.string() }), cancel: z.string(), other: z.number() };

  it("S6-014 a batch is a union of the declared types asked for, told apart by type", async () => {
    defineWorkflow({ name: "w", events }, async (_event, typedStep) => {
      const batch = await typedStep.receive("in", { types: ["order", "cancel"], count: 10 });
      for (const event of batch) {
        expectTypeOf(event.type).toEqualTypeOf<"order" | "cancel">();
        if (event.type === "order") expectTypeOf(event.payload.sku).toEqualTypeOf<string>();
        else expectTypeOf(event.payload).toEqualTypeOf<Readonly<string>>();
        expectTypeOf(event.eventId).toEqualTypeOf<string | undefined>();
        expectTypeOf(event.reply).toBeCallableWith({ any: "thing" });
      }
      // @ts-expect-error misspelt
      await typedStep.receive("in", { types: ["ordre"] });
      // @ts-expect-error types are needed
      await typedStep.receive("in", { count: 1 });
      // @ts-expect-error it has no such option
      await typedStep.receive("in", { types: ["order"], since: "wait" });
      await typedStep.join("j", {
        // @ts-expect-error misspelt in a scope
        a: (own) => own.receive("in", { types: ["ordre"] }),
      });
    });
  });

  it("S6-014 where nothing is declared, the payload is as the author says", () => {
    expectTypeOf(step.receive("in", { types: ["a"] })).resolves.toEqualTypeOf<
      ReceivedEvent<unknown>[]
    >();
    expectTypeOf(step.receive<number>("in", { types: ["a"] })).resolves.toEqualTypeOf<
      ReceivedEvent<number>[]
    >();
  });

  it("S6-014 an instance is asked by declared events, for what the caller expects", () => {
    const instance = {} as WorkflowInstance<unknown, typeof events>;
    expectTypeOf(
      instance.ask<{ ok: boolean }>({ type: "order", payload: { sku: "a" } }, { timeout: "5 s" }),
    ).resolves.toEqualTypeOf<{ ok: boolean }>();
    expectTypeOf(instance.ask({ type: "cancel", payload: "x" })).resolves.toBeUnknown();
    // @ts-expect-error the payload of another type
    void instance.ask({ type: "order", payload: "x" });
    // @ts-expect-error misspelt
    void instance.ask({ type: "cancel", payload: "x" }, { timeut: 5 });
  });
});

describe("S2-013 S3-010 the function form", () => {
  it("infers params, declared events and output from Standard Schemas", () => {
    defineWorkflow(
      {
        name: "order",
        schema: z.object({ id: z.string(), count: z.number().default(1) }),
        output: z.object({ ok: z.boolean() }),
        events: { approval: z.object({ by: z.string() }) },
      },
      async (event, typedStep) => {
        expectTypeOf(event.payload).toEqualTypeOf<Readonly<{ id: string; count: number }>>();
        const approval = await typedStep.waitForEvent("approve", { type: "approval" });
        expectTypeOf(approval.payload.by).toEqualTypeOf<string>();
        return { ok: true };
      },
    );
    // @ts-expect-error the output must fit its schema
    defineWorkflow({ name: "x", output: z.object({ ok: z.boolean() }) }, async () => ({
      ok: "yes",
    }));
  });
});
