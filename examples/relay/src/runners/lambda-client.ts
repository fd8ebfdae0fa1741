/** Runs where AWS's runtime client is not installed: asks the Runtime API for events and answers them. */
import { createRequire } from "node:module";
import { join } from "node:path";

type Handler = (event: unknown, context: object) => Promise<unknown>;

const root = process.env["LAMBDA_TASK_ROOT"] ?? "";
const base = `http://${process.env["AWS_LAMBDA_RUNTIME_API"] ?? ""}/2018-06-01/runtime/invocation`;
const { handler } = createRequire(join(root, "/"))("./index.js") as { readonly handler: Handler };

for (;;) {
  const next = await fetch(`${base}/next`);
  const id = next.headers.get("lambda-runtime-aws-request-id") ?? "";
  const endsAt = Number(next.headers.get("lambda-runtime-deadline-ms"));
  const context = { getRemainingTimeInMillis: () => endsAt - Date.now() };
  const [end, body] = await handler(await next.json(), context).then(
    (answer) => ["response", answer] as const,
    (error: unknown) => ["error", { errorMessage: String(error) }] as const,
  );
  await fetch(`${base}/${id}/${end}`, { method: "POST", body: JSON.stringify(body) });
}
