/** `npm run example agent`: watches an agent at work and answers its question. Without a terminal the answer is yes. */
import { stdin, stdout } from "node:process";
import { createInterface } from "node:readline/promises";
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { agent } from "./agent.ts";
import { pace } from "./model.ts";

/** What the agent tells while it is at work. */
type Told = { readonly word: string } | { readonly asks: string; readonly url: string };

const URL_OF_API = "http://localhost/api/workflows";
const engine = createEngine({
  workflows: { AGENT: agent },
  store: createMemoryStore(),
  callbacks: { signingKeys: [crypto.randomUUID() + crypto.randomUUID()], url: URL_OF_API },
  http: { open: true },
  logger: { log: () => undefined },
});
engine.startLoop();
pace.wait = () => new Promise((resolve) => setTimeout(resolve, 60));

async function ask(question: string): Promise<boolean> {
  if (!stdin.isTTY) {
    stdout.write(`${question} yes (there is no terminal to ask)\n`);
    return true;
  }
  const terminal = createInterface({ input: stdin, output: stdout });
  const answer = await terminal.question(question);
  terminal.close();
  return answer.trim().toLowerCase().startsWith("y");
}

/** The link that a colleague would click on: one POST, here without a server between. */
const answer = (url: string, approved: boolean): Promise<Response> =>
  engine.fetch(
    new Request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ approved }),
    }),
  );

const question = "Why was I charged twice for order 1042?";
stdout.write(`customer: ${question}\n`);
const instance = await engine.workflows.AGENT.create({ params: { question } });
let step = "";
for await (const entry of instance.stream<Told>()) {
  if (entry.step !== step) stdout.write(`\n${entry.step.padEnd(20)}`);
  ({ step } = entry);
  if ("word" in entry.value) stdout.write(entry.value.word);
  else {
    const approved = await ask(`may I ${entry.value.asks}? [y/n] `);
    await answer(entry.value.url, approved);
  }
}
stdout.write(`\n\nanswer: ${String(await instance.result())}\n`);
await engine.close();
