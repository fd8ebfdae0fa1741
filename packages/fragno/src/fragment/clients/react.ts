/** @module Clients of the workflows fragment for React. */
import { useFragno } from "@fragno-dev/core/react";
import {
  createClientObjects,
  type WorkflowsClientConfig,
  type WorkflowsClientObjects,
} from "./client-objects.ts";

/** Clients by what they do: `useListInstances`, `useGetInstance`, `useCreateInstance`, `useSendEvent` and so on. */
type WorkflowsClients = ReturnType<typeof useFragno<WorkflowsClientObjects>>;

/** Creates the clients of one mounted fragment. */
export function createWorkflowsClients(config: WorkflowsClientConfig = {}): WorkflowsClients {
  return useFragno(createClientObjects(config));
}
