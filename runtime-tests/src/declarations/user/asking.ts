/** What an application's own functions return of an engine: the type of every answer. */
import type { CallersTransaction, Engine } from "@escapement/engine";
import { engine, shipped } from "./workflow.ts";

export const ask = {
  workflows: () => engine.listWorkflows(),
  list: () => engine.listInstances("order", {}),
  history: () => engine.listHistory("order", "1", {}),
  find: () => engine.findInstances(),
  count: () => engine.countInstances(),
  activity: () => engine.measureActivity(),
  leases: () => engine.listLeases(),
  callbacks: () => engine.listCallbacks(),
  get: () => engine.getInstance("order", "1"),
  describe: () => engine.describeInstance("order", "1"),
  explain: () => engine.explainInstance("order", "1"),
  progress: () => engine.readProgress("order", "1"),
  reply: () => engine.getReply("order", "1", "e"),
  waiters: () => engine.listWaiters(shipped),
  nextWake: () => engine.nextWake(),
};

export const change = {
  create: () => engine.createInstance("order", {}),
  createBatch: () => engine.createBatch("order", []),
  again: () => engine.restartOrCreate("order", { id: "1" }),
  control: () => engine.control("order", "1", "pause"),
  rewind: () => engine.rewind("order", "1", "price"),
  fork: () => engine.fork("order", "1", "price"),
  update: () => engine.update("order", "1", {}),
  remove: () => engine.deleteInstance("order", "1"),
  send: () => engine.sendEvent("order", "1", { type: "approval" }),
  emit: () => engine.emit(shipped, { id: "1" }),
  complete: () => engine.completeCallback("token"),
  previewBulk: () => engine.previewBulk({ act: "pause" }),
  startBulk: () => engine.startBulk({ act: "pause" }),
  getBulk: () => engine.getBulk("1"),
  listBulks: () => engine.listBulks(),
  cancelBulk: () => engine.cancelBulk("1"),
  export: () => engine.export("order", "1"),
  import: (lines: AsyncIterable<string>) => engine.import(lines),
  closeMoved: (lines: AsyncIterable<string>) => engine.closeMoved(lines),
  tick: () => engine.tick(),
  loop: () => engine.startLoop(),
  inside: (transaction: CallersTransaction) => engine.with(transaction),
  on: (listener: Parameters<typeof engine.on<"instanceEnded">>[1]) =>
    engine.on("instanceEnded", listener),
};

export const pass = (given: Engine) => given.workflows;
