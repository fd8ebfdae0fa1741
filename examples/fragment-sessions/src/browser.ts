import { createWorkflowsClients } from "@escapement/fragno/vanilla";

const { useListInstances, useSendEvent } = createWorkflowsClients();

/** Calls back with all sessions and how far they are, now and whenever they are read again. */
export const watchSessions = (show: (statuses: ReadonlyMap<string, string>) => void) =>
  useListInstances({ path: { workflowName: "session-workflow" } }).subscribe(({ data }) =>
    show(new Map(data?.instances.map(({ id, details }) => [id, details.status]))),
  );

/** Sends a message to a session. */
export const say = (instanceId: string, text: string) =>
  useSendEvent().mutate({
    path: { workflowName: "session-workflow", instanceId },
    body: { type: "user_message", payload: { text } },
  });
