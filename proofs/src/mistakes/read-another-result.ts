// The compiler says: Property 'euros' does not exist
import { instance } from "./shop.ts";

const result = await instance.result();
// @ts-expect-error
export const mistake = result.euros;
