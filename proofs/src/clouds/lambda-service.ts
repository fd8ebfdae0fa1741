/** What Lambda and SQS do around a sandbox: the Runtime API, a queue with delays, and a schedule that always rings. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

interface Message {
  readonly messageId: string;
  readonly body: string;
  readonly visibleAt: number;
}

/** How long an invocation may take, in milliseconds. */
const MAX_INVOCATION_MS = 10_000;
/** The schedule's period; a real one is a minute at least. */
const SAFETY_MS = 250;
const SAFETY_BODY = '{"kind":"tick","source":"safety"}';

interface LambdaService {
  readonly server: Server;
  readonly begin: () => void;
  /** Begins no invocation any more, and waits for the one that is under way. */
  readonly end: () => Promise<void>;
  /** The sandbox has gone: what it had taken is visible again. */
  readonly gone: () => void;
  readonly close: () => Promise<void>;
}

interface ServiceState {
  messages: Message[];
  /** What the sandbox has taken and not answered. */
  taken: Message | null;
  /** The sandbox's question for work that is not answered yet. */
  asking: ServerResponse | null;
  isPaused: boolean;
  onAnswered: () => void;
}

/**
 * @source docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html, read 2026-11: next, response and error of an
 * invocation; a batch that fails, and one whose function died, comes back
 */
export function createLambdaService(): LambdaService {
  const state: ServiceState = {
    messages: [],
    taken: null,
    asking: null,
    isPaused: false,
    onAnswered: () => undefined,
  };
  let timer: NodeJS.Timeout | undefined;
  const server = createServer((request, response) => void take(state, request, response));
  return {
    server,
    begin: () => {
      clearInterval(timer);
      let safeAt = 0;
      timer = setInterval(() => {
        // A message that is held back for long must not stand in its way.
        if (Date.now() >= safeAt && findVisible(state) === undefined) {
          safeAt = Date.now() + SAFETY_MS;
          add(state, SAFETY_BODY, 0);
        }
        deliver(state);
      }, 20);
    },
    end: async () => {
      state.isPaused = true;
      await new Promise<void>((resolve) => {
        state.onAnswered = resolve;
        if (state.taken === null) resolve();
      });
    },
    gone: () => {
      clearInterval(timer);
      if (state.taken !== null) state.messages.push(state.taken);
      state.taken = null;
      state.asking = null;
    },
    close: async () => {
      clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function take(
  state: ServiceState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://lambda.test");
  if (pathname.endsWith("/next")) {
    state.asking = response;
    deliver(state);
    return;
  }
  response.end();
  if (pathname === "/queue") add(state, text, Number(searchParams.get("delay")));
  else answered(state, pathname.endsWith("/error") || text.includes("itemIdentifier"));
}

function add(state: ServiceState, body: string, delaySeconds: number): void {
  const visibleAt = Date.now() + delaySeconds * 1000;
  state.messages.push({ messageId: randomUUID(), body, visibleAt });
}

function answered(state: ServiceState, hasFailed: boolean): void {
  if (hasFailed && state.taken !== null) state.messages.push(state.taken);
  state.taken = null;
  state.onAnswered();
}

const findVisible = ({ messages }: ServiceState): Message | undefined =>
  messages.find(({ visibleAt }) => visibleAt <= Date.now());

/** One message at a time, while the sandbox asks. */
function deliver(state: ServiceState): void {
  const { asking, isPaused, messages } = state;
  const message = findVisible(state);
  if (asking === null || isPaused || message === undefined) return;
  state.messages = messages.filter((one) => one !== message);
  [state.asking, state.taken] = [null, message];
  const { messageId, body } = message;
  asking.setHeader("lambda-runtime-aws-request-id", messageId);
  asking.setHeader("lambda-runtime-deadline-ms", Date.now() + MAX_INVOCATION_MS);
  asking.setHeader("content-type", "application/json");
  asking.end(JSON.stringify({ Records: [{ eventSource: "aws:sqs", messageId, body }] }));
}
