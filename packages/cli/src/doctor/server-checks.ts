/**
 * @module Checks a server over HTTP: whether it lives, whether its database answers, and what is open to everyone. Loaded by
 * `escapement doctor`.
 */
import { type Answer, ask, type Found, type Send } from "../client.ts";
import { RefusedError } from "../errors.ts";
import type { Expectations } from "./database-checks.ts";
import { type Finding, ok, skipped, toLength, wrong } from "./finding.ts";

/** @param send with the token @param sendOpenly without a token */
export async function checkServer(
  send: Send,
  { sendOpenly, lateMs }: Expectations & { readonly sendOpenly: Send },
): Promise<readonly Finding[]> {
  const health = await get(sendOpenly, "/health");
  if (health?.status !== 200) return [toUnreached(health)];
  const ready = await get(sendOpenly, "/ready");
  return [
    ok("reached", "the server answers"),
    ready?.status === 200
      ? ok("ready", "its database answers, and its tables match")
      : wrong("ready", "fail", [
          "the server is up, but its database does not answer or its tables do not match",
          "nothing runs until it does",
          "look at `http.unready` in its log, and run `escapement doctor --db <database>`",
        ]),
    toOpenness(await get(sendOpenly, "/instances?pageSize=1")),
    await checkTickSecret(sendOpenly),
    await checkOldest(send, lateMs),
  ];
}

const get = (send: Send, path: string): Promise<Answer | null> =>
  send(path, { method: "GET" }).catch(() => null);

const toUnreached = (answer: Answer | null): Finding =>
  wrong("reached", "fail", [
    answer === null ? "nobody answers at that URL" : `the URL answers ${answer.status} to /health`,
    "the API, ticks over HTTP and the dashboard cannot be reached",
    "check the URL: it ends with the path that the API is mounted at; then whether the server is up",
  ]);

function toOpenness(answer: Answer | null): Finding {
  if (answer?.status !== 200) return ok("authorization", "callers without a token are refused");
  return wrong("authorization", "fail", [
    "the API answers without a token",
    "anyone who reaches it may read, start and end every instance",
    "give `http.authorizeRequest: bearerAuth(process.env.API_TOKEN)` to the engine, and a secret to API_TOKEN",
  ]);
}

/** This causes no tick, because the call has no secret. */
async function checkTickSecret(sendOpenly: Send): Promise<Finding> {
  const answer = await sendOpenly("/_runner/tick", { method: "POST" }).catch(() => null);
  const [, code] = /"code":"(TICK_[A-Z]+)"/.exec(answer?.text ?? "") ?? [];
  if (code === "TICK_UNAUTHORIZED") return ok("tick secret", "ticks over HTTP need a secret");
  if (code !== "TICK_DISABLED") return skipped("tick secret", "the server does not say");
  return wrong("tick secret", "warn", [
    "no secret for ticks is set: ticks over HTTP are closed",
    "where a schedule ticks the engine by HTTP (Vercel, Netlify, Lambda), nothing would run; where a loop drives it, all is well",
    "set the secret that `http.tick` of the engine reads (bearerSecret or signingKeys), for the server and for who calls it",
  ]);
}

/** The API lists the newest first, so a page of queued instances shows whether any are taken at all. */
async function checkOldest(send: Send, lateMs: number): Promise<Finding> {
  try {
    const query = { status: "queued", pageSize: "100" };
    const { instances } = await ask<Found>(send, { method: "GET", path: ["instances"], query });
    const [oldest] = instances.map(({ workflowName, id }) => [workflowName, id] as const).slice(-1);
    if (oldest === undefined) return ok("ticks", "nothing is queued");
    const [workflow, id] = oldest;
    const path = ["workflows", workflow, "instances", id, "explain"];
    const explained = await ask<{ readonly dueForMs?: number }>(send, { method: "GET", path });
    const waitedMs = explained.dueForMs ?? 0;
    if (waitedMs <= lateMs) return ok("ticks", "no queued work has waited long");
    return wrong("ticks", "fail", [
      `${workflow} ${id} has been due for ${toLength(waitedMs)} and nobody has taken it`,
      "no process ticks or runs a loop, all of them are full, or none has the workflow's code",
      `see \`escapement explain ${workflow} ${id}\`; check the schedule that ticks, and its secret`,
    ]);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return wrong("token", "fail", [
      `the server refuses this command's requests: ${error.code}`,
      "neither this check nor any other command works without access",
      "set ESCAPEMENT_TOKEN to a token that the engine's `authorizeRequest` accepts",
    ]);
  }
}
