/** An engine's service that tells how instances fare, and nothing of what they are about. */
import type { EngineService, InstanceStatus, InstanceView } from "@escapement/engine";

type ErrorShown = NonNullable<InstanceStatus["error"]>;
type History = Awaited<ReturnType<EngineService["listHistory"]>>;

/** As the service given, without outputs, memos, results, payloads and details of errors. Messages and stacks stay. */
export function withoutPayloads(service: EngineService): EngineService {
  const hidden: Partial<EngineService> = {
    getInstance: async (...args) => hideView(await service.getInstance(...args)),
    findInstances: async (...args) => {
      const page = await service.findInstances(...args);
      return { ...page, instances: page.instances.map(hideView) };
    },
    listHistory: async (...args) => hideHistory(await service.listHistory(...args)),
    control: async (...args) => hideView(await service.control(...args)),
    createInstance: async (...args) => hideView(await service.createInstance(...args)),
    fork: async (...args) => hideView(await service.fork(...args)),
    rewind: async (...args) => hideView(await service.rewind(...args)),
    sendEvent: async (...args) => hideView(await service.sendEvent(...args)),
  };
  return new Proxy(service, {
    get: (target, name) =>
      Object.hasOwn(hidden, name)
        ? hidden[name as keyof EngineService]
        : (Reflect.get(target, name, target) as unknown),
  });
}

function hideView<View extends InstanceView>(view: View): View {
  const { output: _output, memo: _memo, error, ...open } = view.details;
  const details = error === undefined ? open : { ...open, error: hideError(error) };
  return { ...view, details };
}

function hideError(error: ErrorShown): ErrorShown {
  const cause = error.cause === null ? null : hideError(error.cause);
  return { ...error, details: null, cause };
}

function hideHistory(page: History): History {
  const steps = page.steps.map((step) => ({
    ...step,
    result: null,
    error: step.error === null ? null : hideError(step.error),
  }));
  return { ...page, steps, events: page.events.map((event) => ({ ...event, payload: null })) };
}
