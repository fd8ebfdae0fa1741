// The compiler says: Property 'euros' does not exist
import { instance } from "./shop.ts";

const { output } = await instance.status();
// @ts-expect-error
export const mistake = output?.euros;
