import { takeRequest } from "../src/main.ts";

export const GET = takeRequest;
export const POST = takeRequest;
