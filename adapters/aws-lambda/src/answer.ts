/** A request's event to its answer, which Lambda and load balancers take up to a size only. */
import { WorkflowError } from "@escapement/engine/errors";
import { toErrorResponse } from "@escapement/engine/http";
import { Hono } from "hono";
import { handle, type LambdaEvent } from "hono/aws-lambda";

/**
 * Bytes of an answer with its escapes, at most. What is larger never reaches the caller: the gateway answers 502.
 *
 * @source 6 MB synchronous: aws/agent-toolkit-for-aws, aws-serverless/references/lambda.md, 2026-08-18; 1 MB behind a load
 *   balancer: docs.aws.amazon.com/elasticloadbalancing, lambda-functions, read 2026-11-21
 */
const MAX_BYTES = 6_000_000;
const MAX_BALANCER_BYTES = 1_000_000;
/** Bytes that one UTF-16 unit of the body can become: `\u0000`. */
const MAX_BYTES_PER_UNIT = 6;

/** @returns what Lambda expects for a request; in place of an answer that is too large, PAYLOAD_TOO_LARGE */
export function createAnswer(
  fetch: (request: Request) => Promise<Response>,
): (event: unknown) => Promise<unknown> {
  const answer = handle(new Hono().all("*", ({ req }) => fetch(req.raw)));
  return async (event) => {
    const request = event as LambdaEvent;
    const isBalanced = "elb" in request.requestContext;
    const maxBytes = isBalanced ? MAX_BALANCER_BYTES : MAX_BYTES;
    const answered = await answer(request);
    return fits(answered, maxBytes) ? answered : handle(refusing(maxBytes))(request);
  };
}

/** Most answers are so small that nobody has to count. */
function fits(answered: { readonly body: string }, maxBytes: number): boolean {
  if (answered.body.length * MAX_BYTES_PER_UNIT < maxBytes / 2) return true;
  return Buffer.byteLength(JSON.stringify(answered)) <= maxBytes;
}

function refusing(maxBytes: number): Hono {
  const message = `the answer is larger than the ${maxBytes} bytes that the platform takes`;
  const error = new WorkflowError("PAYLOAD_TOO_LARGE", message, { maxBytes });
  return new Hono().all("*", () => toErrorResponse(error));
}
