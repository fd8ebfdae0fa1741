// The compiler says: Type '"aproval"' is not assignable to type '"approval"
import { instance } from "./shop.ts";

// @ts-expect-error
await instance.sendEvent({ type: "aproval", payload: { by: "ada" } });
