// The compiler says: 'parms' does not exist
import { engine } from "./shop.ts";

// @ts-expect-error
await engine.workflows.ORDER.create({ parms: { sku: "a", count: 1 } });
