/** The verbs that control an instance. */
import type { Command } from "commander";
import { ask, type Instance } from "./client.ts";
import { JSON_ARGUMENT, parseJsonArgument } from "./json-argument.ts";
import { toId, toName, toStepKey } from "./option-values.ts";
import { renderState } from "./render.ts";
import { withSession } from "./session.ts";
import {
  addConditions,
  type ConditionOptions,
  examples,
  keyOption,
  toConditions,
  toPath,
} from "./verb-parts.ts";

type LifecycleVerb = "pause" | "resume" | "cancel" | "terminate" | "restart" | "retry";

/** Adds the verbs. */
export function addSteering(program: Command): void {
  addRewind(program);
  addFork(program);
  for (const verb of LIFECYCLE) addLifecycle(program, verb);
}

interface Lifecycle {
  readonly name: LifecycleVerb;
  readonly summary: string;
  readonly description: string;
  /** An option besides those of every verb, and the query parameter of the same name. */
  readonly flag?: readonly [option: string, query: "rollback" | "newKeys" | "from", says: string];
}

const LIFECYCLE: readonly Lifecycle[] = [
  {
    name: "retry",
    summary: "retry a failed run from the steps that failed",
    description:
      "Continues a failed run from the steps that failed it. Completed steps do not run again.",
    flag: [
      "--from <step>",
      "from",
      "go back to this step, as `show` names it: it and all later steps run again, with the same idempotency keys",
    ],
  },
  {
    name: "cancel",
    summary: "ask an instance to end",
    description:
      "Asks an instance to end: its steps throw, its code may clean up, then it is terminated.",
  },
  {
    name: "terminate",
    summary: "end an instance for good",
    description:
      "Ends an instance at once, or with --rollback after undoing its steps. It stays ended unless you restart it.",
    flag: ["--rollback", "rollback", "first undo what its steps have done"],
  },
  {
    name: "pause",
    summary: "pause an instance",
    description: "Pauses an instance at its next step boundary.",
  },
  {
    name: "resume",
    summary: "resume a paused instance",
    description: "Resumes a paused instance, or cancels a pause that has not taken effect yet.",
  },
  {
    name: "restart",
    summary: "run an instance again from its beginning",
    description: "Starts a new run of an instance. Earlier runs are kept.",
    flag: [
      "--new-keys",
      "newKeys",
      "give steps new idempotency keys: services do their work again",
    ],
  },
];

function addLifecycle(program: Command, { name, summary, description, flag }: Lifecycle): void {
  const command = addInstanceArguments(program.command(name), summary, description);
  if (flag?.[1] === "from") command.option(flag[0], flag[2], toStepKey);
  else if (flag !== undefined) command.option(flag[0], flag[2]);
  command
    .addHelpText("after", examples(`${name} order o-17`))
    .action(async (workflow: string, id: string, options, self) => {
      const asked = flag && (options[flag[1]] as boolean | string | undefined);
      const query = flag === undefined || asked === undefined ? {} : { [flag[1]]: String(asked) };
      await steer(self, { workflow, id, verb: name, query });
    });
}

function addRewind(program: Command): void {
  const says =
    "Takes the run back to a step. That step and everything that settled with it or later runs again; what settled before stays.";
  addInstanceArguments(program.command("rewind"), "take a run back to a step", says)
    .argument("<step>", "the step, as `show` names it, for instance book/hotel", toStepKey)
    .addHelpText("after", examples("rewind order o-17 charge"))
    .action(async (...given: [string, string, string, object, Command]) => {
      const [workflow, id, step, , self] = given;
      await steer(self, { workflow, id, verb: "rewind", body: { step } });
    });
}

interface ForkOptions extends ConditionOptions {
  readonly id?: string;
  readonly key?: string;
}

function addFork(program: Command): void {
  const says =
    "Starts another instance at a step of this one, with a copy of the steps before it. This one does not change.";
  addInstanceArguments(
    program.command("fork"),
    "start another instance at a step of this one",
    says,
  )
    .argument("<step>", "the step, as `show` names it, for instance book/hotel", toStepKey)
    .argument("[json]", `params of the new instance (default: those of this one): ${JSON_ARGUMENT}`)
    .option("--id <id>", "of the new instance (default: a random one)", toId)
    .addHelpText("after", examples("fork order o-17 ship --id o-17-again"))
    .action(
      async (...given: [string, string, string, string | undefined, ForkOptions, Command]) => {
        const [workflow, source, step, json, { id, key, ...conditions }, self] = given;
        const params = json === undefined ? {} : { params: parseJsonArgument(json) };
        const query = toConditions(conditions);
        const call = {
          method: "POST",
          path: toPath(workflow, source, "fork"),
          query,
          key,
        } as const;
        await withSession(self, async ({ send, print }) => {
          const fork = await ask<Instance>(send, { ...call, body: { step, id, ...params } });
          print(fork, () => renderState(workflow, fork));
        });
      },
    );
}

function addInstanceArguments(command: Command, summary: string, description: string): Command {
  command
    .summary(summary)
    .description(description)
    .argument("<workflow>", "name of the workflow", toName)
    .argument("<id>", "of the instance", toId);
  return addConditions(command).addOption(keyOption());
}

interface Steering {
  readonly workflow: string;
  readonly id: string;
  readonly verb: LifecycleVerb | "rewind";
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

async function steer(command: Command, { workflow, id, verb, ...given }: Steering): Promise<void> {
  const { key, ...conditions } = command.opts<ConditionOptions & { readonly key?: string }>();
  const query = { ...given.query, ...toConditions(conditions) };
  const call = { method: "POST", path: toPath(workflow, id, verb), ...given, query, key } as const;
  await withSession(command, async ({ send, print }) => {
    const answer = await ask<Pick<Instance, "details">>(send, call);
    print(answer, () => renderState(workflow, { id, details: answer.details }));
  });
}
