import { takeWake } from "../src/main.ts";

export const POST = takeWake;
