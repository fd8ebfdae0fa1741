export { takeWake as POST } from "../src/main.ts";
