/** SQS, EventBridge Scheduler and Lambda as the adapter calls them, over HTTP; AWS's service models judge every call. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Fields, findFaults, type Service } from "./service-model.ts";

/** A call that was taken. */
export interface Sent {
  readonly service: Service;
  readonly fields: Fields;
}

export interface FakeAws {
  readonly url: string;
  readonly sent: Sent[];
  /** Messages in hand that are to be delivered again. */
  readonly redelivered: Fields[];
  /** What the service models had against refused calls. */
  readonly faults: string[];
  /** Names of the schedules that there are. */
  readonly names: Set<string>;
  /** While true, every call is refused. */
  isDown: boolean;
  /** @throws when the service models had something against a call, which a lost wake would hide */
  readonly stop: () => Promise<void>;
}

/** @source error statuses: botocore's model of EventBridge Scheduler, see `service-model.ts` */
const STATUS = { ConflictException: 409, ValidationException: 400, AccessDeniedException: 400 };

export async function startFakeAws(): Promise<FakeAws> {
  const server = createServer((request, response) => void take(fake, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const fake: FakeAws = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: [],
    redelivered: [],
    faults: [],
    names: new Set(),
    isDown: false,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      if (fake.faults.length > 0) throw new TypeError(`AWS refused: ${fake.faults.join(", ")}`);
    },
  };
  return fake;
}

async function take(
  fake: FakeAws,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const call = readCall(request, text);
  const error = findError(fake, call);
  if (error !== null) {
    response.writeHead(STATUS[error], { "x-amzn-errortype": error });
    response.end(JSON.stringify({ __type: error, Message: fake.faults.at(-1) ?? "" }));
    return;
  }
  if (call.service === "scheduler") fake.names.add(String(call.fields["Name"]));
  if (call.service === "visibility") fake.redelivered.push(call.fields);
  else fake.sent.push(call);
  const isInvoke = call.service === "lambda";
  response.writeHead(isInvoke ? 202 : 200, { "content-type": "application/json" });
  response.end(isInvoke ? "" : JSON.stringify(toReply(call)));
}

function findError(fake: FakeAws, { service, fields }: Sent): keyof typeof STATUS | null {
  if (fake.isDown) return "AccessDeniedException";
  const faults = findFaults(service, fields);
  fake.faults.push(...faults);
  if (faults.length > 0) return "ValidationException";
  const isTaken = service === "scheduler" && fake.names.has(String(fields["Name"]));
  return isTaken ? "ConflictException" : null;
}

/** The four calls, by the protocols of their services. */
function readCall(request: IncomingMessage, text: string): Sent {
  const path = request.url ?? "";
  const name = /^\/schedules\/([^/?]+)$/.exec(path)?.[1];
  if (name !== undefined) {
    const fields = { Name: decodeURIComponent(name), ...(JSON.parse(text) as object) };
    return { service: "scheduler", fields };
  }
  const functionName = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path)?.[1];
  if (functionName !== undefined) {
    const InvocationType = request.headers["x-amz-invocation-type"];
    return {
      service: "lambda",
      fields: { FunctionName: functionName, InvocationType, Payload: text },
    };
  }
  // Whatever else is called has no such fields, and is refused.
  const target = request.headers["x-amz-target"];
  const fields = JSON.parse(text) as Fields;
  if (target === "AmazonSQS.ChangeMessageVisibility") return { service: "visibility", fields };
  return {
    service: "sqs",
    fields: target === "AmazonSQS.SendMessage" ? fields : { Call: path },
  };
}

function toReply({ service, fields: { MessageBody: body } }: Sent): object {
  if (service === "visibility") return {};
  if (typeof body !== "string") return { ScheduleArn: "arn:aws:scheduler:::schedule/wakes/one" };
  return { MessageId: "m", MD5OfMessageBody: createHash("md5").update(body).digest("hex") };
}
