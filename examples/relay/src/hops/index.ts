/** The platforms, in the order of the relay. */
import { awsLambda } from "./aws-lambda.ts";
import { bun } from "./bun.ts";
import { deno } from "./deno.ts";
import type { Hop } from "./hop.ts";
import { netlify } from "./netlify.ts";
import { node } from "./node.ts";
import { vercel } from "./vercel.ts";
import { workerd } from "./workerd.ts";

export const HOPS: readonly Hop[] = [node, deno, bun, awsLambda, workerd, vercel, netlify];
