import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { readSnippets } from "./snippets/read-snippets.ts";
import { runFile, writeFolder } from "./snippets/run-page.ts";

/** The code that a page gives for a file. */
function readCode(page: string, file: string): string {
  const found = readSnippets(page).find((snippet) => snippet.file === file);
  expect(found, `${page} shows ${file}`).toBeDefined();
  return found?.code ?? "";
}

const workflow = readCode("README.md", "workflow.ts");

it("S8-017 the quickstart runs as it stands: an instance completes, and SIGTERM ends the process in order", async () => {
  const folder = writeFolder("quickstart", {
    "workflow.ts": workflow,
    "main.ts": readCode("README.md", "main.ts"),
  });
  const run = runFile(folder, "main.ts", { API_TOKEN: "token-of-these-tests-only", PORT: "0" });
  onTestFinished(() => {
    run.child.kill("SIGKILL");
  });
  await run.printed("state: 'active'");
  run.child.kill("SIGTERM");
  expect(await run.ended).toBe(0);
});

it("S8-017 what the page about tests shows runs, on the quickstart's workflow", async () => {
  const [shown] = readSnippets("docs/testing.md");
  const tail = 'console.log((await harness.status("signup", "ada")).status);\n';
  const folder = writeFolder("testing", {
    "workflow.ts": workflow,
    "main.ts": `${shown?.code ?? ""}${tail}`,
  });
  const run = runFile(folder, "main.ts");
  expect({ code: await run.ended, output: run.output() }).toEqual({
    code: 0,
    output: "complete\n",
  });
});

it("S8-017 what the page about tests finds wrong with its order is what it shows", async () => {
  const page = "docs/testing.md";
  const shown = readSnippets(page).find(({ code }) => code.includes('name: "order"'));
  const run = runFile(writeFolder("crashes", { "main.ts": shown?.code ?? "" }), "main.ts");
  expect(await run.ended).toBe(0);
  expect(readFileSync(page, "utf8")).toContain(`\`\`\`text\n${run.output()}\`\`\``);

  const scenario = readSnippets(page).find(({ code }) => code.includes("assertNoFindings(report)"));
  const files = { "workflow.ts": workflow, "main.ts": scenario?.code ?? "" };
  const other = runFile(writeFolder("crash-scenario", files), "main.ts");
  expect({ code: await other.ended, output: other.output() }).toEqual({ code: 0, output: "" });
});
