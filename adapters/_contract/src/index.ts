/** @module The promises of every adapter, as one vitest suite. The application that it drives is the entry `./app`. */
export { type AnswerLimit, describeAnswerLimit } from "./answer-limit.ts";
export { describeAdapterContract } from "./contract.ts";
export type { ContractLogLine, DatabaseState } from "./faults.ts";
export type {
  AdapterCapabilities,
  AdapterFixture,
  AdapterRequest,
  AdapterSubject,
  AdapterWake,
  ExactWakes,
  FixtureOptions,
} from "./subject.ts";
