/** The adapter contract in Netlify's own function runtime, the one that is deployed with each function. */
import { describeAdapterContract } from "@escapement/adapter-contract";
import { loadInvoke } from "./netlify-edge.ts";
import { NETLIFY_CAPABILITIES, openNetlify } from "./netlify-fixture.ts";
import { missingNetlify } from "./vendor-netlify.ts";

describeAdapterContract({
  name: "netlify, in Netlify's function runtime",
  skip: missingNetlify(),
  capabilities: NETLIFY_CAPABILITIES,
  open: async (options) => openNetlify(options, await loadInvoke()),
});
