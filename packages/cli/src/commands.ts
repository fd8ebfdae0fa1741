/** Verbs of the command, with their help texts. */
import type { Command } from "commander";
import { ask, type Emitted, type Found, type Instance } from "./client.ts";
import { JSON_ARGUMENT, parseJsonArgument } from "./json-argument.ts";
import { toPlainText } from "./plain-text.ts";
import {
  STATUSES,
  toCountUpTo,
  toDelay,
  toFilter,
  toId,
  toList,
  toName,
  toParent,
  toStatuses,
} from "./option-values.ts";
import { renderEmitted, renderFound, renderState } from "./render.ts";
import { withSession } from "./session.ts";
import {
  addConditions,
  type ConditionOptions,
  toConditions,
  addTimes,
  examples,
  type FilterOptions,
  keyOption,
  type LookOptions,
  toPath,
} from "./verb-parts.ts";
import { showLooks, watchOption } from "./watch/watch-option.ts";

interface StartOptions {
  readonly id?: string;
  readonly tag?: readonly string[];
  readonly delay?: string;
  readonly key?: string;
}

/** Adds the verb. */
export function addStart(program: Command): void {
  program
    .command("start")
    .summary("start an instance of a workflow")
    .description("Starts an instance of a workflow. An id that exists already is refused.")
    .argument("<workflow>", "name of the workflow", toName)
    .argument("[json]", `its params: ${JSON_ARGUMENT}`)
    .option("--id <id>", "of the instance (default: a random one)", toId)
    .option("--tag <tag>", "words to find it by; several by commas", toList)
    .option("--delay <duration>", 'starts then, for instance "10 minutes"')
    .addOption(keyOption())
    .addHelpText(
      "after",
      examples(`start order '{"sku":"tea"}' --id o-17`, "start order @order.json --tag web"),
    )
    .action(async (workflow: string, json: string | undefined, options: StartOptions, command) => {
      const { id, tag, key } = options;
      const delay = options.delay === undefined ? undefined : await toDelay(options.delay);
      const params = json === undefined ? {} : { params: parseJsonArgument(json) };
      const body = { ...params, id, delay, tags: tag };
      await withSession(command, async ({ send, print }) => {
        const call = { method: "POST", path: toPath(workflow), body, key } as const;
        const created = await ask<Instance>(send, call);
        print(created, () => renderState(workflow, created));
      });
    });
}

interface LsOptions extends FilterOptions, LookOptions {
  readonly parent?: ReturnType<typeof toParent>;
}

/** Adds the verb. */
export function addLs(program: Command): void {
  const command = program
    .command("ls")
    .summary("list instances, newest first")
    .description("Lists instances of all workflows, newest first, a page at a time.")
    .option("--workflow <name>", "only of this workflow; several by commas", toList)
    .option("--status <status>", `${STATUSES.join(", ")}; several by commas`, toStatuses)
    .option("--tag <tag>", "only with this tag", toFilter)
    .option("--id-prefix <text>", "only ids that begin with this", toFilter)
    .option("--error-code <code>", "only runs that ended with this error", toFilter)
    .option("--parent <workflow/id>", "only children of this instance", toParent)
    .option("--stuck", "only those that have been stuck for five minutes or longer");
  addTimes(command)
    .option("--limit <count>", "instances of a page, 1 to 100 (default: 25)", toCountUpTo(100))
    .option("--cursor <cursor>", "of the page before, with the same filters")
    .addOption(watchOption())
    .addHelpText(
      "after",
      examples(
        "ls --status errored",
        "ls --workflow order --tag web --json",
        "ls --error-code STEP_FAILED",
        "ls --status errored --updated-from 2026-11-27T09:00Z",
        "ls --status running --watch",
      ),
    )
    .action(async (options: LsOptions, self) => {
      const { workflow, status, tag, idPrefix, errorCode, limit, cursor } = options;
      const filters = { workflows: workflow?.join(","), status: status?.join(","), tag, idPrefix };
      const { parent } = options;
      const family = {
        parent: parent && `${parent.workflowName}/${parent.instanceId}`,
        stuck: options.stuck?.toString(),
      };
      const times = toTimes(options);
      const query = {
        ...filters,
        ...family,
        ...times,
        errorCode,
        pageSize: limit?.toString(),
        cursor,
      };
      await withSession(self, (session) =>
        showLooks(session, options.watch, async () => {
          const call = { method: "GET", path: ["instances"], query } as const;
          const found = await ask<Found>(session.send, call);
          return { answer: found, text: renderFound(found, session.width) + renderMore(found) };
        }),
      );
    });
}

const toTimes = (options: FilterOptions) => ({
  createdFrom: options.createdFrom?.toString(),
  createdBefore: options.createdBefore?.toString(),
  updatedFrom: options.updatedFrom?.toString(),
  updatedBefore: options.updatedBefore?.toString(),
});

function renderMore({ cursor, hasNextPage, isIncomplete }: Found): string {
  if (!hasNextPage || cursor === undefined) return "";
  const why = isIncomplete ? "The search stopped before the page was full." : "There is more.";
  return `${why} Continue with: --cursor ${toPlainText(cursor)}\n`;
}

interface KeyOptions {
  readonly key?: string;
}

type SendArguments = [
  workflow: string,
  id: string,
  type: string,
  json: string | undefined,
  options: KeyOptions & ConditionOptions,
  command: Command,
];

/** Adds the verb. */
export function addSend(program: Command): void {
  addConditions(program.command("send"))
    .summary("send an event to an instance")
    .description("Sends an event. It is kept until a wait of its type takes it.")
    .argument("<workflow>", "name of the workflow", toName)
    .argument("<id>", "of the instance", toId)
    .argument("<type>", "of the event", toId)
    .argument("[json]", `its payload: ${JSON_ARGUMENT}`)
    .addOption(keyOption())
    .addHelpText("after", examples(`send order o-17 approval '{"by":"noor"}'`))
    .action(async (...given: SendArguments) => {
      const [workflow, id, type, json, { key, ...conditions }, command] = given;
      const query = toConditions(conditions);
      const payload = json === undefined ? {} : { payload: parseJsonArgument(json) };
      const path = toPath(workflow, id, "events");
      await withSession(command, async ({ send, print }) => {
        const call = { method: "POST", path, query, body: { type, ...payload }, key } as const;
        const answer = await ask<{ readonly status: Instance["details"] }>(send, call);
        print(answer, () => renderState(workflow, { id, details: answer.status }));
      });
    });
}

/** Adds the verb. */
export function addEmit(program: Command): void {
  program
    .command("emit")
    .summary("emit a message to a topic")
    .description("Emits a message to every run that waits for the topic: each gets it once.")
    .argument("<topic>", "name of the topic", toName)
    .argument("[json]", `its payload: ${JSON_ARGUMENT}`)
    .addOption(keyOption())
    .addHelpText("after", examples(`emit price-changed '{"sku":"tea","cents":420}'`))
    .action(async (topic: string, json: string | undefined, { key }: KeyOptions, command) => {
      const payload = json === undefined ? {} : { payload: parseJsonArgument(json) };
      const call = {
        method: "POST",
        path: ["topics", topic],
        body: { ...payload, id: key },
      } as const;
      await withSession(command, async ({ send, print }) => {
        const answer = await ask<Emitted>(send, call);
        print(answer, () => renderEmitted(topic, answer));
      });
    });
}
