/** TEST ONLY: an EngineService on maps, as small as the HTTP tests allow. It keeps promises of shape, not of durability. */
import { LIFECYCLE, type LifecycleCommand } from "../core/decide/lifecycle.ts";
import { WorkflowError } from "../core/errors.ts";
import { DEFAULT_LIMITS, parseEventType, parseInstanceId } from "../core/limits.ts";
import { encodeJson } from "../core/codec.ts";
import { isTerminal, type InstanceStatusName } from "../core/model/status.ts";
import type {
  CreateBatchOutput,
  CreateInstanceInput,
  EngineService,
  EventView,
  HistoryInput,
  HistoryOutput,
  InstanceView,
  ListInstancesInput,
  ListInstancesOutput,
  StepView,
  TickInput,
  TickOutput,
} from "../ports/service.ts";

/** The only workflow that the service knows. */
export const TESTING_WORKFLOW = "ORDER";

/** Params and event payloads of exactly this value do not fit the schema. */
export const TESTING_MISFIT = "misfit";

interface Item {
  readonly id: string;
  readonly params?: unknown;
}

interface Row {
  id: string;
  status: InstanceStatusName;
  runNumber: number;
  params: unknown;
  readonly events: EventView[];
}

const STEP: StepView = {
  name: "reserve",
  stepKey: "reserve",
  type: "do",
  status: "completed",
  attempts: 1,
  lostAttempts: 0,
  maxAttempts: 6,
  timeoutMs: 600_000,
  nextRetryAt: null,
  wakeAt: null,
  waitEventType: null,
  result: { reserved: true },
  error: null,
  createdAt: 1,
  updatedAt: 2,
};

export class TestingService implements EngineService {
  /** Inputs of the ticks so far. */
  readonly ticks: TickInput[] = [];
  readonly #rows = new Map<string, Row>();
  #failure: { readonly error: unknown } | null = null;
  #held: Promise<void> = Promise.resolve();

  /** Number of instances; shows that nothing was written. */
  countInstances(): number {
    return this.#rows.size;
  }

  setStatus(instanceId: string, status: InstanceStatusName): void {
    this.#find(TESTING_WORKFLOW, instanceId).status = status;
  }

  /** Every call fails with `error` from now on; null: no longer. */
  failWith(error: unknown): void {
    this.#failure = error === null ? null : { error };
  }

  /** Ticks stay open until the function that this returns is called. */
  holdTicks(): () => void {
    const releases: (() => void)[] = [];
    this.#held = new Promise((resolve) => {
      releases.push(resolve);
    });
    return () => releases.forEach((release) => release());
  }

  listWorkflows(): readonly { readonly name: string }[] {
    this.#enter(TESTING_WORKFLOW);
    return [{ name: TESTING_WORKFLOW }];
  }

  async createInstance(workflowName: string, input: CreateInstanceInput): Promise<InstanceView> {
    this.#enter(workflowName);
    const { id = "generated-1", params } = input;
    assertItem(id, params);
    const existing = this.#rows.get(id);
    if (existing === undefined) return this.#insert(id, params);
    return input.onExisting === "return" ? toView(existing) : fail("INSTANCE_ID_ALREADY_EXISTS");
  }

  async createBatch(workflowName: string, items: readonly Item[]): Promise<CreateBatchOutput> {
    this.#enter(workflowName);
    if (items.length > DEFAULT_LIMITS.maxBatchSize) fail("BATCH_TOO_LARGE");
    items.forEach((item) => assertItem(item.id, item.params));
    const skipped = items.filter((item) => this.#rows.has(item.id)).map((item) => item.id);
    const fresh = items.filter((item) => !skipped.includes(item.id));
    return { instances: fresh.map((item) => this.#insert(item.id, item.params)), skipped };
  }

  async getInstance(workflowName: string, instanceId: string): Promise<InstanceView> {
    return toView(this.#find(workflowName, instanceId));
  }

  async listInstances(
    workflowName: string,
    { status, pageSize = 25, cursor }: ListInstancesInput,
  ): Promise<ListInstancesOutput> {
    this.#enter(workflowName);
    const rows = [...this.#rows.values()].filter((row) => (status ?? row.status) === row.status);
    return paginate(rows.map(toView), { pageSize, cursor }, (instances) => ({ instances }));
  }

  async control(
    workflowName: string,
    instanceId: string,
    command: LifecycleCommand,
  ): Promise<InstanceView> {
    const row = this.#find(workflowName, instanceId);
    const rule = LIFECYCLE[command];
    if (rule.refusedWhenTerminal && isTerminal(row.status)) fail("INSTANCE_TERMINAL");
    row.status = rule.transitions[row.status]?.to ?? row.status;
    if (rule.startsNewRun) row.runNumber += 1;
    return toView(row);
  }

  async sendEvent(
    workflowName: string,
    instanceId: string,
    { type, payload = null }: { readonly type: string; readonly payload?: unknown },
  ): Promise<InstanceView> {
    const row = this.#find(workflowName, instanceId);
    parseEventType(type, DEFAULT_LIMITS);
    if (isTerminal(row.status)) fail("INSTANCE_TERMINAL");
    if (payload === TESTING_MISFIT) fail("INVALID_EVENT_PAYLOAD");
    encodeJson(payload, { maxBytes: DEFAULT_LIMITS.maxEventPayloadBytes, what: "payload" });
    const rest = { createdAt: 3, deliveredAt: null, consumedByStepKey: null };
    row.events.push({ id: `event-${row.events.length}`, type, payload, ...rest });
    return toView(row);
  }

  async listHistory(
    workflowName: string,
    instanceId: string,
    { runNumber, pageSize = 100, cursor }: HistoryInput,
  ): Promise<HistoryOutput> {
    const row = this.#find(workflowName, instanceId);
    const steps = cursor === undefined ? [STEP] : [];
    return paginate(row.events, { pageSize, cursor }, (events) => ({
      runNumber: runNumber ?? row.runNumber,
      steps,
      events,
    }));
  }

  async tick(input: TickInput = {}): Promise<TickOutput> {
    this.#enter(TESTING_WORKFLOW);
    this.ticks.push(input);
    await this.#held;
    return { processed: this.#rows.size, steps: 0, moreDue: false, nextWakeAt: null };
  }

  #enter(workflowName: string): void {
    if (this.#failure !== null) throw this.#failure.error;
    if (workflowName !== TESTING_WORKFLOW) fail("WORKFLOW_NOT_FOUND");
  }

  #find(workflowName: string, instanceId: string): Row {
    this.#enter(workflowName);
    const row = this.#rows.get(parseInstanceId(instanceId, DEFAULT_LIMITS));
    return row ?? fail("INSTANCE_NOT_FOUND");
  }

  #insert(id: string, params: unknown): InstanceView {
    const row: Row = { id, status: "queued", runNumber: 1, params, events: [] };
    this.#rows.set(id, row);
    return toView(row);
  }
}

function fail(code: ConstructorParameters<typeof WorkflowError>[0]): never {
  throw new WorkflowError(code, `Testing: ${code}.`);
}

function assertItem(id: string, params: unknown): void {
  parseInstanceId(id, DEFAULT_LIMITS);
  if (params === TESTING_MISFIT) fail("INVALID_PARAMS");
  encodeJson(params, { maxBytes: DEFAULT_LIMITS.maxParamsBytes, what: "params" });
}

function paginate<Entry, Page>(
  items: readonly Entry[],
  { pageSize, cursor }: { readonly pageSize: number; readonly cursor: string | undefined },
  toPage: (items: readonly Entry[]) => Page,
): Page & { readonly cursor?: string; readonly hasNextPage: boolean } {
  if (cursor !== undefined && !/^at\d+$/.test(cursor)) fail("INVALID_CURSOR");
  const start = cursor === undefined ? 0 : Number(cursor.slice(2));
  const end = start + pageSize;
  const page = toPage(items.slice(start, end));
  return end < items.length
    ? { ...page, cursor: `at${end}`, hasNextPage: true }
    : { ...page, hasNextPage: false };
}

function toView(row: Row): InstanceView {
  const details = { status: row.status, runNumber: row.runNumber };
  return {
    id: row.id,
    details: row.status === "complete" ? { ...details, output: row.params } : details,
  };
}
