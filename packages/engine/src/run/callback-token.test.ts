/** The token of a callback, and the option that signs it. */
import { beforeAll, describe, expect, it } from "vitest";
import { createHarness } from "../testing/harness.ts";
import { readCallback, signCallback } from "./callback-token.ts";
import { KEYS, URL_OF_API, signing } from "./testing-callbacks.ts";

// Loaded in advance, so that loading takes no time.
beforeAll(() => Promise.all([import("./scopes/run-scope.ts"), import("./callback-step.ts")]));

describe("S6-016 a callback's token", () => {
  const ref = { workflowName: "wörk/flow", instanceId: "x", runNumber: 3, stepKey: 'a "b"/~2/#3' };

  it("S6-016 says what it is for to who has the key, by whichever key it was signed", async () => {
    const token = await signCallback(signing, ref);
    expect(await readCallback(signing, token)).toEqual(ref);
    const turned = { ...signing, signingKeys: KEYS.toReversed() };
    expect(await readCallback(turned, token)).toEqual(ref);
    expect(await readCallback({ ...signing, signingKeys: [KEYS[1]] }, token)).toBeNull();
    expect(await readCallback({ ...signing, namespace: "staging" }, token)).toBeNull();
  });

  it("S6-016 is none with any of its characters changed, left out or doubled", async () => {
    const token = await signCallback(signing, ref);
    const end = token.length - 1;
    for (let at = 0; at < token.length; at += 1) {
      const [before, now, after] = [token.slice(0, at), token[at] ?? "", token.slice(at + 1)];
      const other = now === "A" ? "B" : "A";
      for (const changed of [other, "", `${now}${now}`, ".", "~", " "]) {
        // Two bits of the last character have no meaning.
        if (at === end && changed.length === 1) continue;
        const forged = `${before}${changed}${after}`;
        if (forged !== token) expect(await readCallback(signing, forged)).toBeNull();
      }
    }
  });

  it.each([
    "",
    ".",
    "a.",
    `.${"A".repeat(43)}`,
    `${"A".repeat(20_000)}.${"A".repeat(43)}`,
    "x".repeat(2_000_000),
    "a".repeat(43),
    null,
    undefined,
    7,
    {},
  ])("S6-016 is not %#", async (token) => {
    expect(await readCallback(signing, token)).toBeNull();
  });

  it("S6-016 of one step, run, instance or workflow is not that of another", async () => {
    const others = [
      { ...ref, stepKey: "a" },
      { ...ref, runNumber: 4 },
      { ...ref, instanceId: "y" },
      { ...ref, workflowName: "w" },
    ];
    const signature = (token: string): string => token.split(".")[1] ?? "";
    const all = await Promise.all([ref, ...others].map((one) => signCallback(signing, one)));
    expect(new Set(all.map(signature)).size).toBe(5);
    const [mine = "", theirs = ""] = all;
    const mixed = `${theirs.split(".")[0]}.${signature(mine)}`;
    expect(await readCallback(signing, mixed)).toBeNull();
  });
});

describe("S6-016 the option callbacks", () => {
  const good = { signingKeys: [...KEYS], url: URL_OF_API };
  it.each([
    ["no list", { ...good, signingKeys: KEYS[0] }],
    ["an empty list", { ...good, signingKeys: [] }],
    ["an unset key", { ...good, signingKeys: [undefined] }],
    [
      "a key of 31 characters",
      { ...good, signingKeys: [KEYS[0], "kJ8#mQ2$vX5^nB7&cL9*wR4!tY6@pZ3"] },
    ],
    ["a placeholder", { ...good, signingKeys: ["change-me-change-me-change-me-change-me"] }],
    ["no URL", { signingKeys: [...KEYS] }],
    ["a path", { ...good, url: "/api/workflows" }],
    ["another scheme", { ...good, url: "javascript:alert(1)" }],
    ["a query", { ...good, url: `${URL_OF_API}?a=1` }],
    ["a password", { ...good, url: "https://a:b@acme.dev/api" }],
  ])("S6-016 refuses %s at the start", (_what, callbacks) => {
    expect(() => createHarness({ workflows: {}, callbacks: callbacks as never })).toThrow(
      expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
    );
  });

  it("S6-016 refuses a name that it does not know", () => {
    expect(() =>
      createHarness({ workflows: {}, callbacks: { ...good, secret: "x" } as never }),
    ).toThrow(expect.objectContaining({ code: "UNKNOWN_OPTION" }));
  });
});
