/** `escapement delete`: removes an ended instance and everything that belongs to it. */
import type { Command } from "commander";
import { ask, type Deleted } from "./client.ts";
import { toId, toName } from "./option-values.ts";
import { toPlainText } from "./plain-text.ts";
import { withSession } from "./session.ts";
import { examples, toPath } from "./verb-parts.ts";

/** Adds the verb. */
export function addDelete(program: Command): void {
  program
    .command("delete")
    .summary("delete an instance that has ended")
    .description(
      "Deletes an instance that has ended, with its runs and its children. It cannot be undone.",
    )
    .argument("<workflow>", "name of the workflow", toName)
    .argument("<id>", "of the instance", toId)
    .addHelpText("after", examples("delete order o-17"))
    .action(async (workflow: string, id: string, _options: object, command) => {
      const path = toPath(workflow, id);
      await withSession(command, async ({ send, print }) => {
        const answer = await ask<Deleted>(send, { method: "DELETE", path });
        print(answer, () => toPlainText(`${workflow} ${id}: ${toWords(answer)}`) + "\n");
      });
    });
}

function toWords({ deletedCount }: Deleted): string {
  if (deletedCount === 0) return "there is no such instance";
  const children = deletedCount - 1;
  if (children === 0) return "deleted";
  return `deleted, and ${children} ${children === 1 ? "child" : "children"}`;
}
