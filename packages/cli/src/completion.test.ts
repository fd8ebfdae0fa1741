import { execFileSync } from "node:child_process";
import { expect, test, vi } from "vitest";
import { runCommand } from "./testing-command.ts";

vi.setConfig({ testTimeout: 150_000 });

/** The completions that bash would offer after some words. */
function complete(script: string, ...words: readonly string[]): readonly string[] {
  const line = words.map((word) => `"${word}"`).join(" ");
  const program = `${script}\nCOMP_WORDS=(escapement ${line})\nCOMP_CWORD=${words.length}\n_escapement\necho "\${COMPREPLY[@]}"`;
  const offered = execFileSync("bash", ["-c", program], { encoding: "utf8" }).trim();
  return offered.split(" ");
}

test("S8-010 bash completes verbs, and then the options of the verb", async () => {
  const { code, stdout } = await runCommand(["completion", "bash"]);
  expect(code).toBe(0);
  expect(complete(stdout, "re")).toEqual(["rewind", "retry", "resume", "restart", "replay"]);
  expect(complete(stdout, "ls", "--st")).toEqual(["--status", "--stuck"]);
  expect(complete(stdout, "mi")).toEqual(["migrate"]);
  expect(complete(stdout, "migrate", "--p")).toEqual(["--plan"]);
  expect(complete(stdout, "show", "--w")).toEqual(["--watch"]);
  expect(complete(stdout, "--json", "start", "--i")).toEqual(["--id"]);
  expect(complete(stdout, "--tok")).toEqual(["--token"]);
  expect(stdout).not.toContain("under-supervision");
});

test("S8-010 zsh and fish have scripts of their own, and other shells are refused", async () => {
  expect((await runCommand(["completion", "zsh"])).stdout).toMatch(/^autoload -U \+X bashcompinit/);
  const { stdout } = await runCommand(["completion", "fish"]);
  expect(stdout).toMatch(/^complete -c escapement -n __fish_use_subcommand -f -a retry -d '.+'$/m);
  expect(stdout).toMatch(/seen_subcommand_from ls' -l status -d /);
  expect((await runCommand(["completion", "cmd"])).code).toBe(2);
});
