/** What the files of each platform export. */
import {
  createLambdaPlatform,
  deploy as deployLambda,
  fromEnv as lambdaFromEnv,
  handler as lambdaHandler,
  oneTimeSchedules,
  sqsQueue,
} from "@escapement/aws-lambda";
import { createBunPlatform, handler as bunHandler } from "@escapement/bun";
import {
  defineObject,
  handler as workerHandler,
  host,
  type ObjectContext,
  type ObjectNamespace,
} from "@escapement/cloudflare";
import { createDenoPlatform, handler as denoHandler } from "@escapement/deno";
import {
  backgroundHandler,
  createNetlifyPlatform,
  handler as netlifyHandler,
  scheduleHandler,
} from "@escapement/netlify";
import { createNodePlatform, handler as nodeHandler, serve } from "@escapement/node";
import {
  createVercelPlatform,
  fromEnv as vercelFromEnv,
  handler as vercelHandler,
  vercelQueue,
  wakeHandler,
} from "@escapement/vercel";
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { engine } from "./workflow.ts";

export const queue = sqsQueue("https://sqs.example.com/orders");
export const schedules = oneTimeSchedules({ groupName: "g", queueArn: "q", roleArn: "r" });
export const lambdaOptions = lambdaFromEnv({});
export const lambda = createLambdaPlatform({ queue, schedules });
export const onLambda = lambdaHandler(engine, { platform: lambda });
export const lambdaFiles = () => deployLambda;

export const bun = createBunPlatform();
export const onBun = bunHandler(engine);

declare const DurableObject: new (ctx: ObjectContext, env: object) => object;
export const Orders = defineObject(DurableObject, ({ platform }) =>
  createEngine({ workflows: {}, store: createMemoryStore(), platform }),
);
export const openHost = (ctx: ObjectContext) => host(ctx, () => engine);
export const worker = workerHandler<{ readonly ORDERS: ObjectNamespace }>({
  objects: (env) => env.ORDERS,
});

export const deno = createDenoPlatform();
export const onDeno = denoHandler(engine, { platform: deno });
export const startDeno = () => deno.start();

export const netlify = createNetlifyPlatform({ signingKeys: [] });
export const onNetlify = netlifyHandler(engine, { platform: netlify });
export const scheduled = scheduleHandler(engine, { platform: netlify });
export const background = backgroundHandler(engine, { platform: netlify });

export const node = createNodePlatform();
export const onNode = nodeHandler(engine);
export const startNode = () => node.start();
export const listen = () => serve({ engine });

export const messages = vercelQueue({ topic: "orders" });
export const vercelOptions = vercelFromEnv({}, { topic: "orders" });
export const vercel = createVercelPlatform({ queue: messages });
export const onVercel = vercelHandler(engine, { platform: vercel });
export const wakes = wakeHandler(engine, { platform: vercel });

export const onItsOwn = createEngine({
  workflows: {},
  store: createMemoryStore(),
  platform: createVercelPlatform(),
});
export const onItsVercel = vercelHandler(onItsOwn, { tick: {} });
export const itsWakes = wakeHandler(onItsOwn);
export const looping = createEngine({
  workflows: {},
  store: createMemoryStore(),
  platform: createNodePlatform(),
});
