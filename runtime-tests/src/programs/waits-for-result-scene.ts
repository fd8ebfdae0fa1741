/** An instance that waits for what nobody sends, and a program that waits for its result. */
import { defineWorkflow, type Engine, type WorkflowDefinition } from "@escapement/engine";

export const order: WorkflowDefinition = defineWorkflow({ name: "order" }, async (_event, step) => {
  return await step.waitForEvent("payment", { type: "paid", timeout: "7 days" });
});

/** A program, as far as its end is concerned. */
export interface WaitingProgram {
  readonly engine: Engine<{ readonly order: typeof order }>;
  readonly stop: () => Promise<void>;
  /** What it does beside waiting. */
  readonly wants: string | undefined;
  /** What ends the process with the code 7, where nothing else does. */
  readonly exit: () => void;
  readonly process: {
    on(event: "uncaughtException", listener: () => void): unknown;
    once(event: "SIGINT", listener: () => void): unknown;
  };
}

export async function waitForResult(program: WaitingProgram): Promise<void> {
  const { engine, stop, wants, process } = program;
  const instance = await engine.workflows.order.create({ id: "o-1" });
  const asked = instance.result({ timeout: "1 hour" });
  if (wants === "another error")
    process.once("SIGINT", () => {
      throw new RangeError("a fault of the program's own");
    });
  if (wants === "a handler") process.on("uncaughtException", program.exit);
  if (wants === "stop") setTimeout(() => void stop(), 300);
  if (wants === "two") void engine.workflows.order.execute({ id: "o-2" });
  console.log("waiting");
  if (wants !== "to catch") {
    console.log(await asked);
    return;
  }
  const { code, message } = (await asked.catch((error: unknown) => error)) as {
    readonly code: string;
    readonly message: string;
  };
  console.log(code, message);
}
