/** Stands in for a language model: it streams its words, then says what it wants to do. No network, the same each time. */

/** One entry of the conversation that a model is given. */
export interface Message {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
}

/** A tool that the model wants to have called. */
export interface ToolCall {
  readonly tool: string;
  readonly input: string;
}

/** What a turn comes to: words, and a call, or none if they are the answer. */
export interface Turn {
  readonly text: string;
  readonly call: ToolCall | null;
}

const LOOK_UP: Turn = {
  text: "Let me look at order 1042 first.",
  call: { tool: "findOrder", input: "1042" },
};
const REFUND: Turn = {
  text: "It was charged twice, so I would pay one charge back.",
  call: { tool: "refund", input: "1042" },
};

/** How long it thinks about a word. */
export const pace: { wait: () => Promise<unknown> } = { wait: async () => undefined };

/** Streams a turn word by word. A call of a real model goes here, with its signal. */
export async function* streamTurn(
  messages: readonly Message[],
  signal: AbortSignal,
): AsyncGenerator<string, Turn> {
  const turn = decide(messages);
  for (const word of turn.text.split(" ")) {
    await pace.wait();
    signal.throwIfAborted();
    yield `${word} `;
  }
  return turn;
}

function decide(messages: readonly Message[]): Turn {
  const results = messages.filter(({ role }) => role === "tool");
  const [, refund] = results;
  if (results.length === 0) return LOOK_UP;
  if (refund === undefined) return REFUND;
  return { text: `I am done: ${refund.text}.`, call: null };
}
