// The compiler says: Expected 1 arguments, but got 0
import { engine } from "./shop.ts";

// @ts-expect-error
await engine.workflows.ORDER.create();
