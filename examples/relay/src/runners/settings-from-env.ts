/** The settings of a program that has an environment. */
import type { RunnerSettings } from "../runner-settings.ts";

export const settings = JSON.parse(process.env["RELAY"] ?? "{}") as RunnerSettings;
