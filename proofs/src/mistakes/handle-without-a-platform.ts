// The compiler says: Type 'undefined' is not assignable to type 'LambdaPlatform'
import { handler } from "@escapement/aws-lambda";
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { ship } from "./shop.ts";

// @ts-expect-error
handler(createEngine({ workflows: { SHIP: ship }, store: createMemoryStore() }));
