/** One client's connection through the proxy, and what happens to its requests. */
import type { Socket } from "node:net";
import { type Deliver, type Delivery, PASS } from "./delivery.ts";
import {
  type ClientMessage,
  type ClientRequest,
  createMessageReader,
  createRequestReader,
} from "./postgres-messages.ts";

export interface PostgresLinkOptions {
  readonly client: Socket;
  readonly server: Socket;
  /** Milliseconds by which every answer comes later. */
  readonly delayMs: number;
  /** Asked before each batch. */
  readonly deliver: Deliver;
  /** Whether the server's answers are swallowed just now. */
  readonly isMute: () => boolean;
  /** Told of every message, for counts. */
  readonly onMessage: (message: ClientMessage) => void;
  /** Told of bytes, whoever sent them. */
  readonly onBytes: (from: "client" | "server") => void;
  readonly onClosed: () => void;
}

/** When a connection goes silent: at once, or in the middle of its next batch. */
export type SilenceMoment = "now" | "mid-request";

/** A client's connection and the server's, joined until a fault parts them. */
export class PostgresLink {
  readonly #options: PostgresLinkOptions;
  /** A request waits for the one before it, so that a connection keeps its order. */
  #queue: Promise<void> | null = null;
  /** Nothing passes, and neither side is told. */
  #isSilent = false;
  #silentAtNextBatch = false;
  /** The client has been cut off, while a request of it is still on its way to the server. */
  #isDetached = false;

  constructor(options: PostgresLinkOptions) {
    this.#options = options;
    const { client, server, onMessage, onBytes } = options;
    const takeRequest = createRequestReader((request) => this.#take(request));
    const read = createMessageReader((message) => {
      onMessage(message);
      takeRequest(message);
    });
    client.on("data", (chunk: Buffer) => {
      onBytes("client");
      if (!this.#isSilent) read(chunk);
    });
    server.on("data", (chunk: Buffer) => {
      onBytes("server");
      this.#answer(chunk);
    });
    for (const socket of [client, server]) {
      socket.on("error", () => socket.destroy());
      socket.on("close", () => this.#onClose());
    }
  }

  /** Nothing passes any more, in either direction, and neither side is told. */
  silence(moment: SilenceMoment): void {
    if (moment === "now") this.#isSilent = true;
    else this.#silentAtNextBatch = true;
  }

  close(): void {
    this.#isSilent = false;
    this.#isDetached = false;
    this.#options.client.destroy();
    this.#options.server.destroy();
  }

  #onClose(): void {
    const { client, server, onClosed } = this.#options;
    if (client.destroyed && server.destroyed) onClosed();
    else if (!this.#isSilent && !(this.#isDetached && client.destroyed)) this.close();
  }

  #answer(chunk: Buffer): void {
    const { client, delayMs, isMute } = this.#options;
    if (this.#isSilent || this.#isDetached || isMute()) return;
    if (delayMs === 0) client.write(chunk);
    else setTimeout(() => client.write(chunk), delayMs);
  }

  #take(request: ClientRequest): void {
    const delivery = request.isBatch ? this.#deliver() : PASS;
    if (this.#queue === null && delivery.kind === "pass") this.#write(request.bytes);
    else this.#queue = (this.#queue ?? Promise.resolve()).then(() => this.#send(request, delivery));
  }

  #deliver(): Delivery {
    return this.#silentAtNextBatch ? { kind: "half-open" } : this.#options.deliver();
  }

  async #send(request: ClientRequest, delivery: Delivery): Promise<void> {
    switch (delivery.kind) {
      case "pass":
        return this.#write(request.bytes);
      case "delay":
        await pause(delivery.ms);
        return this.#write(request.bytes);
      case "drop":
        return this.close();
      case "half-open":
        this.#write(request.opening);
        this.#isSilent = true;
        return;
      case "lose-answer":
        return this.#sendDetached(request, [0]);
      case "late":
        return this.#sendDetached(request, [delivery.ms]);
      case "twice":
        return this.#sendDetached(request, [0, delivery.ms]);
    }
  }

  /** The client is cut off; the request arrives after each of the pauses. */
  async #sendDetached(request: ClientRequest, pausesMs: readonly number[]): Promise<void> {
    const { client, server } = this.#options;
    if (server.destroyed) return this.close();
    this.#isDetached = true;
    client.destroy();
    for (const pauseMs of pausesMs) {
      await pause(pauseMs);
      this.#write(request.bytes);
    }
    // The server ends the connection once it has read everything.
    server.end();
  }

  #write(bytes: Buffer): void {
    const { server } = this.#options;
    if (!this.#isSilent && !server.destroyed && bytes.length > 0) server.write(bytes);
  }
}

const pause = (ms: number): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms));
