/** The only reasons for which a test that proves a row may be skipped: what this machine does not have. */
import { pgBouncerAvailable, sqldAvailable } from "@escapement-internal/test-servers";
import { missingFaketime, missingRuntime, missingWorkerd } from "../../runtime-tests/src/tools.ts";
import { missingLambdaClient } from "../../runtime-tests/src/vendor-aws.ts";
import { missingWrangler } from "../../runtime-tests/src/vendor-cloudflare.ts";
import { missingFrontends } from "../../runtime-tests/src/vendor-frontends.ts";
import { missingNetlify } from "../../runtime-tests/src/vendor-netlify.ts";
import { missingVercel } from "../../runtime-tests/src/vendor-vercel.ts";
import { missingChromium } from "../../site/src/built/chromium.ts";

/** A program that some tests need, and the files that those tests are in. */
interface Tool {
  /** Why it cannot be used here; null: it can. */
  readonly missing: () => string | null;
  readonly files: RegExp;
}

const TOOLS: readonly Tool[] = [
  {
    missing: () => missingRuntime("bun"),
    files:
      /^(runtime-tests\/src\/(bun-|create\/|fragno|platform-examples)|proofs\/src\/clouds|examples\/)/,
  },
  {
    missing: () => missingRuntime("deno"),
    files:
      /^(runtime-tests\/src\/(deno-|create\/|fragno|platform-examples)|proofs\/src\/clouds|examples\/)/,
  },
  { missing: () => missingRuntime("node24"), files: /^(runtime-tests\/src\/node-|adapters\/)/ },
  { missing: missingWorkerd, files: /^(runtime-tests\/src\/(cloudflare|fragno)|examples\/)/ },
  { missing: missingWrangler, files: /^runtime-tests\/src\/cloudflare-wrangler/ },
  { missing: missingLambdaClient, files: /^(runtime-tests\/src\/lambda-|proofs\/src\/clouds)/ },
  { missing: missingNetlify, files: /^(runtime-tests\/src\/netlify|examples\/)/ },
  { missing: missingVercel, files: /^(runtime-tests\/src\/vercel\/|examples\/)/ },
  { missing: missingFrontends, files: /^runtime-tests\/src\/fragno-clients/ },
  { missing: missingChromium, files: /^site\// },
  { missing: missingFaketime, files: /^(proofs|chaos|simulation|runtime-tests)\// },
  {
    missing: () => (sqldAvailable() ? null : "sqld is not installed"),
    files: /./,
  },
  {
    missing: () => (pgBouncerAvailable() ? null : "PgBouncer is not installed"),
    files: /pgbouncer|bun-sql|processes/,
  },
];

/** Why tests of the file may be skipped on this machine; null: they may not. */
export function excuseOf(file: string): string | null {
  for (const { missing, files } of TOOLS) {
    const reason = files.test(file) ? missing() : null;
    if (reason !== null) return reason;
  }
  return null;
}
