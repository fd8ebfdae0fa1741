import { defineWorkflow, Loop, type WorkflowStep } from "@escapement/engine";
import { z } from "zod";
import { type Message, streamTurn, type ToolCall, type Turn } from "./model.ts";
import { tools } from "./tools.ts";

const Approval = z.object({ approved: z.boolean() });

export const agent = defineWorkflow(
  { name: "agent", schema: z.object({ question: z.string() }) },
  ({ payload: { question } }, step) =>
    step.loop("turns", {
      state: [{ role: "user", text: question }] as readonly Message[],
      run: async (own, messages: readonly Message[]) => {
        const turn = await own.do("think", async ({ signal, progress }): Promise<Turn> => {
          const words = streamTurn(messages, signal);
          for (;;) {
            const { value, done } = await words.next();
            if (done === true) return value;
            await progress({ word: value });
          }
        });
        if (turn.call === null) return Loop.break(turn.text);
        const text = await callTool(own, turn.call);
        return Loop.continue([
          ...messages,
          { role: "assistant", text: turn.text },
          { role: "tool", text },
        ]);
      },
    }),
);

async function callTool(step: WorkflowStep, { tool: name, input }: ToolCall): Promise<string> {
  const tool = tools[name];
  if (tool === undefined) return `there is no tool ${name}`;
  if (tool.isDangerous && !(await isApproved(step, `${name} ${input}`)))
    return "nothing was paid back: a colleague said no";
  return step.do(name, ({ idempotencyKey }) => tool.run(input, idempotencyKey));
}

/** Sends the link to whoever reads the stream; you could mail it as well. */
async function isApproved(step: WorkflowStep, what: string): Promise<boolean> {
  const { url, payload } = await step.callback("approve", { timeout: "1 day" });
  await step.progress({ asks: what, url });
  return Approval.parse(await payload()).approved;
}
