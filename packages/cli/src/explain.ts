/** `escapement explain`: why an instance is not moving. */
import type { Command } from "commander";
import { ask, type Explained } from "./client.ts";
import { toId, toName } from "./option-values.ts";
import { toPlainText } from "./plain-text.ts";
import { withSession } from "./session.ts";
import { examples, toPath } from "./verb-parts.ts";

/** Adds the verb. */
export function addExplain(program: Command): void {
  program
    .command("explain")
    .summary("say why an instance is not moving, and what to do")
    .description("Says in a sentence why an instance is not moving, and what to do next.")
    .argument("<workflow>", "name of the workflow", toName)
    .argument("<id>", "of the instance", toId)
    .addHelpText("after", examples("explain order o-17", "explain order o-17 --json"))
    .action(async (workflow: string, id: string, _options: object, command) => {
      const path = toPath(workflow, id, "explain");
      await withSession(command, async ({ send, print }) => {
        const explained = await ask<Explained>(send, { method: "GET", path });
        print(explained, () => `${toPlainText(explained.sentence)}\n`);
      });
    });
}
