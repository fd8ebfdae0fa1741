/** `escapement completion`: a script with which a shell completes verbs and options, generated from the program itself. */
import { Argument, type Command } from "commander";
import { examples } from "./verb-parts.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

type Shell = (typeof SHELLS)[number];

/** Adds the verb. */
export function addCompletion(program: Command): void {
  program
    .command("completion")
    .summary("print a script that completes verbs and options")
    .description(
      "Prints a script with which your shell completes commands and options when you press Tab.",
    )
    .addArgument(new Argument("<shell>", "the shell's name").choices(SHELLS))
    .addHelpText(
      "after",
      examples(
        "completion bash >> ~/.bashrc",
        "completion zsh >> ~/.zshrc",
        "completion fish > ~/.config/fish/completions/escapement.fish",
      ),
    )
    .action((shell: Shell) => {
      const verbs = program.commands.map(toVerb);
      const shared = toOptions(program);
      process.stdout.write(shell === "fish" ? toFish(verbs, shared) : toBash(shell, verbs, shared));
    });
}

interface Described {
  readonly name: string;
  readonly says: string;
}

interface Verb extends Described {
  readonly options: readonly Described[];
}

const toVerb = (command: Command): Verb => ({
  name: command.name(),
  says: command.summary(),
  options: toOptions(command),
});

const toOptions = (command: Command): readonly Described[] =>
  command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, description }) => ({ name: long ?? "", says: description }));

const toWords = (all: readonly Described[]): string => all.map(({ name }) => name).join(" ");

/** zsh can read bash's completion functions. */
function toBash(
  shell: "bash" | "zsh",
  verbs: readonly Verb[],
  shared: readonly Described[],
): string {
  const names = toWords(verbs);
  return [
    ...(shell === "zsh" ? ["autoload -U +X bashcompinit && bashcompinit"] : []),
    "_escapement() {",
    `  local current="\${COMP_WORDS[COMP_CWORD]}" verb="" word words`,
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    `    case " ${names} " in *" $word "*) verb="$word"; break ;; esac`,
    "  done",
    `  case "$verb" in`,
    ...verbs.map(({ name, options }) => `    ${name}) words="${toWords(options)}" ;;`),
    `    *) words="${names} help" ;;`,
    "  esac",
    `  COMPREPLY=($(compgen -W "$words ${toWords(shared)} --help" -- "$current"))`,
    "}",
    "complete -o default -F _escapement escapement",
    "",
  ].join("\n");
}

function toFish(verbs: readonly Verb[], shared: readonly Described[]): string {
  const line = (condition: string, { name, says }: Described): string => {
    const what = name.startsWith("--") ? `-l ${name.slice(2)}` : `-f -a ${name}`;
    return `complete -c escapement ${condition}${what} -d '${says.replaceAll("'", String.raw`\'`)}'`;
  };
  return [
    ...shared.map((option) => line("", option)),
    ...verbs.map((verb) => line("-n __fish_use_subcommand ", verb)),
    ...verbs.flatMap(({ name, options }) =>
      options.map((option) => line(`-n '__fish_seen_subcommand_from ${name}' `, option)),
    ),
    "",
  ].join("\n");
}
