/** `escapement delete`: removes an ended instance and everything that belongs to it. */
import type { Command } from "commander";
import { ask, type Deleted } from "./client.ts";
import { toId, toName } from "./option-values.ts";
import { toPlainText } from "./plain-text.ts";
import { withSession } from "./session.ts";
import {
  addConditions,
  type ConditionOptions,
  examples,
  toConditions,
  toPath,
} from "./verb-parts.ts";

/** Adds the verb. */
export function addDelete(program: Command): void {
  const command = program.command("delete");
  addConditions(command)
    .summary("delete an instance that has ended")
    .description(
      "Deletes an instance that has ended, with its runs and its children. It cannot be undone.",
    )
    .argument("<workflow>", "name of the workflow", toName)
    .argument("<id>", "of the instance", toId)
    .addHelpText("after", examples("delete order o-17"))
    .action(async (workflow: string, id: string, options: ConditionOptions, self) => {
      const call = {
        method: "DELETE",
        path: toPath(workflow, id),
        query: toConditions(options),
      } as const;
      await withSession(self, async ({ send, print }) => {
        const answer = await ask<Deleted>(send, call);
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
