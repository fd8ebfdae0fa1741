/** Options of the platforms, as a caller without types may write them. */
import { createLambdaPlatform } from "@escapement/aws-lambda";
import { createBunPlatform } from "@escapement/bun";
import { host } from "@escapement/cloudflare";
import { createDenoPlatform } from "@escapement/deno";
import { createNetlifyPlatform } from "@escapement/netlify";
import { createNodePlatform } from "@escapement/node";
import { createVercelPlatform } from "@escapement/vercel";
import { expect, test } from "vitest";

const openHost = (options: object) => {
  const open = () => expect.unreachable();
  return host({} as Parameters<typeof host>[0], open, options);
};
const untyped = (create: (options: never) => unknown) => create as (options: object) => unknown;

test.each([
  ["Lambda", untyped(createLambdaPlatform), "namspace", "namespace"],
  ["Bun", untyped(createBunPlatform), "corn", "cron"],
  ["Bun, of a process that stays", untyped(createBunPlatform), "handleSignal", "handleSignals"],
  ["Cloudflare", openHost, "maxTrip", "maxTrips"],
  ["Deno", untyped(createDenoPlatform), "timeline", "timelines"],
  ["Netlify", untyped(createNetlifyPlatform), "signingKey", "signingKeys"],
  ["Node", untyped(createNodePlatform), "poolMs", "pollMs"],
  ["Vercel", untyped(createVercelPlatform), "que", "queue"],
])("%s refuses an option that nothing reads, with the one that was meant", (...row) => {
  const [, create, name, nearest] = row;
  expect(() => create({ [name]: 1 })).toThrow(
    expect.objectContaining({
      code: "UNKNOWN_OPTION",
      message: `"${name}" is not an option of the platform; did you mean "${nearest}"?`,
    }) as Error,
  );
});

test.each([
  ["Cloudflare", openHost, ["hopCount", "tripsLeft"]],
  ["Vercel", untyped(createVercelPlatform), ["hopCount", "wakesFor"]],
])("%s refuses what it tells each tick itself", (...row) => {
  const [, create, names] = row;
  for (const name of names)
    expect(() => create({ [name]: 1 })).toThrow(
      expect.objectContaining({ code: "UNKNOWN_OPTION" }) as Error,
    );
});
