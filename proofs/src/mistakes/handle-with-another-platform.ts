// The compiler says: Type 'NodePlatform' is missing the following properties from type 'LambdaPlatform'
import { handler } from "@escapement/aws-lambda";
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createNodePlatform } from "@escapement/node";
import { ship } from "./shop.ts";

const platform = createNodePlatform();
const store = createMemoryStore();
// @ts-expect-error
handler(createEngine({ workflows: { SHIP: ship }, store, platform }));
