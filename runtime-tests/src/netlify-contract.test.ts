/** The adapter contract with requests and contexts in Netlify's shape; `netlify-runtime.test.ts` has Netlify's own. */
import { describeAdapterContract } from "@escapement/adapter-contract";
import { invokeDirectly } from "./netlify-edge.ts";
import { NETLIFY_CAPABILITIES, openNetlify } from "./netlify-fixture.ts";

describeAdapterContract({
  name: "netlify",
  skip: null,
  capabilities: NETLIFY_CAPABILITIES,
  open: (options) => openNetlify(options, invokeDirectly),
});
