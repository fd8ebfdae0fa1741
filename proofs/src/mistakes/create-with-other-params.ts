// The compiler says: Type 'string' is not assignable to type 'number'
import { engine } from "./shop.ts";

// @ts-expect-error
await engine.workflows.ORDER.create({ params: { sku: "a", count: "1" } });
