/** Codes of input that is invalid in every state. Part of `core/error-facts.ts`. */

export const INVALID_INPUT_FACTS = {
  INVALID_WORKFLOW_NAME: {
    when: "A workflow name is empty, too long or has an unpaired surrogate or NUL.",
    fix: "Use 1 to 64 characters.",
  },
  INVALID_INSTANCE_ID: {
    when: "An instance id is too long or has a character outside letters, digits, - and _.",
    fix: "Use 1 to 100 of those characters, not starting with -.",
  },
  INVALID_EVENT_TYPE: {
    when: "An event type is too long or has a character outside letters, digits, - and _.",
    fix: "Use 1 to 100 of those characters, not starting with -.",
  },
  EVENT_UNDECLARED: {
    when: "An event was sent or waited for whose type the workflow does not declare.",
    fix: "Use a declared type, or add this one to the workflow's events; details.nearest is the most similar declared type.",
  },
  INVALID_EVENT_PAYLOAD: {
    when: "An event's payload does not match the schema that the workflow declares for its type.",
    fix: "Send what the schema asks for; details.issues says what is wrong.",
  },
  INVALID_IDEMPOTENCY_KEY: {
    when: "An idempotency key or event id is empty, too long, or has a character that is not printable ASCII.",
    fix: "Use 1 to 255 printable ASCII characters, for instance a UUID.",
  },
  INVALID_PARAMS: {
    when: "Params do not match the workflow's schema.",
    fix: "Send what the schema asks for; details.issues says what is wrong.",
  },
  INVALID_REQUEST: {
    when: "The body is not JSON, or a field or query parameter has the wrong shape.",
    fix: "details.issues names each field and what was expected.",
  },
  UNKNOWN_OPTION: {
    when: "An options object has a name that does not exist, most likely a typing error.",
    fix: "Use the name in details.nearest, or leave the option out.",
  },
  INVALID_CURSOR: {
    when: "A page cursor does not come from this API, or it belongs to another list.",
    fix: "Pass the cursor of the previous answer unchanged, or none.",
  },
  INVALID_DURATION: {
    when: "A duration cannot be read, is missing, is negative, or is outside its limit: a sleep is at most 365 days, and the timeout of a wait for an event is 1 second to 365 days.",
    fix: 'Use milliseconds or text such as "10 seconds", "1 hour", "7 days". For a point in time, use step.sleepUntil.',
  },
  INVALID_STEP_NAME: {
    when: "A step name is missing, empty, too long, or has an unpaired surrogate or NUL.",
    fix: 'Give each step a name of 1 to 256 characters as its first argument: step.do("charge", () => …).',
  },
  INVALID_RETRY_POLICY: {
    when: "A retry policy has a limit below 0, an unknown backoff, or a shouldRetry that is not a function. Or its shouldRetry or delay threw, or returned nothing usable, for an attempt that failed.",
    fix: "limit ≥ 0 or Infinity; backoff constant, linear or exponential; shouldRetry returns true or false and delay a duration, neither a promise. details.option is the function, details.fault what is wrong, cause what the step's body threw.",
  },
  NOT_SERIALIZABLE: {
    when: "A value has no stored form: a function, a symbol, a cycle, a promise, an instance of a class without toJSON.",
    fix: "Pass plain data, Date, Map, Set, BigInt, URL, Error or bytes; details.path says where.",
  },
  PAYLOAD_TOO_LARGE: {
    when: "A value or request body is larger than its limit.",
    fix: "Store it elsewhere and pass a reference; limits are configurable.",
  },
  BATCH_TOO_LARGE: {
    when: "createBatch was given more instances than it takes at once, or you export an instance with more than 50,000 children, with theirs.",
    fix: "Send at most 100 per call. Of an instance with too many children, delete those that have ended first, or let retention do it.",
  },
  INVALID_TOPIC: {
    when: "A topic is declared twice, or its name is too long or has a character outside letters, digits, - and _.",
    fix: "Use 1 to 100 of those characters, not starting with -, and one declaration for each name.",
  },
} as const;
