export { takeRequest as GET, takeRequest as POST } from "../src/main.ts";
