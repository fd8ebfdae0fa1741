/** Codes of requests that are well formed and refused: nothing has that name, its state is against it, or the caller may not. Part of `core/error-facts.ts`. */

export const REFUSED_REQUEST_FACTS = {
  WORKFLOW_NOT_FOUND: {
    when: "No workflow of that name is registered.",
    fix: "Check the name; GET /workflows lists them.",
  },
  INSTANCE_NOT_FOUND: {
    when: "The workflow has no instance of that id.",
    fix: "Create it first; ids are per workflow.",
  },
  ROUTE_NOT_FOUND: {
    when: "No route has that path.",
    fix: "See the HTTP reference for the paths.",
  },
  METHOD_NOT_ALLOWED: {
    when: "The path exists, but not with that method.",
    fix: "Use the method in the Allow header.",
  },
  INSTANCE_ID_ALREADY_EXISTS: {
    when: "An instance with that id exists.",
    fix: 'Restart it, or create with onExisting: "return".',
  },
  INSTANCE_TERMINAL: {
    when: "The instance is complete, errored or terminated.",
    fix: "Restart it to run it again.",
  },
  INSTANCE_TERMINATED: {
    when: "instance.result() waited for an instance that was terminated, so that there is no result.",
    fix: "Restart the instance, or treat it as given up.",
  },
  RESULT_TIMEOUT: {
    when: "instance.result() waited for as long as its timeout, and the instance has not ended.",
    fix: "Call it again, or give it a longer timeout; details.status says what the instance does.",
  },
  IDEMPOTENCY_KEY_CONFLICT: {
    when: "An instance was created with that idempotency key and other params.",
    fix: "Use a new key for a new request; repeat a request unchanged.",
  },
  EVENT_ID_CONFLICT: {
    when: "The run has an event of that id with another type or payload.",
    fix: "Use a new id for a new event; repeat an event unchanged.",
  },
  EVENT_NOT_FOUND: {
    when: "A reply is asked for to an event whose id the run does not have.",
    fix: "Send the event first; ids are per run, and an event that a loop's iteration took is kept for an hour after that is removed.",
  },
  EVENT_NOT_ANSWERED: {
    when: "The run that the event was sent to has ended, or was restarted, without a reply to it.",
    fix: "See the instance's status in details; send the event to the new run.",
  },
  REPLY_TIMEOUT: {
    when: "instance.ask() waited for as long as its timeout, and the event has no reply yet.",
    fix: "Ask again with details.eventId as the event's id: it is the same event. Or give it a longer timeout.",
  },
  TOPIC_NOT_FOUND: {
    when: "A message is emitted to a topic, or waited for, that the engine was not given.",
    fix: "Give it to the engine: createEngine({ topics: [topic] }).",
  },
  TOPIC_LIMIT: {
    when: "The topic holds twice as many messages as it keeps, since runs that wait have yet to be handed theirs.",
    fix: "Emit again later; check that ticks run: they hand on what a process that died has left.",
  },
  EVENT_LIMIT: {
    when: "The instance holds as many events, or bytes of events, as it may before a wait takes some.",
    fix: "Send again later; check that the workflow waits for events of this type.",
  },
  INSTANCE_NOT_ERRORED: {
    when: "The instance is to be retried and has not failed, since it goes on or ended otherwise; or it was rolled back, so that its steps are undone.",
    fix: "Leave it alone while it goes on; restart it where it is complete, terminated or rolled back.",
  },
  INSTANCE_NOT_ENDED: {
    when: "The instance is to be deleted, and it goes on; or one of its children does, or the run that started it.",
    fix: "Wait for its end, or terminate it; details.liveInstanceId is the one that goes on, and details.status what it does.",
  },
  STATUS_MISMATCH: {
    when: "The instance is in none of the statuses that the command was meant for.",
    fix: "Read the instance again and decide anew; details.status is what it is.",
  },
  STEP_NOT_FOUND: {
    when: "The instance is to be rewound to a step, or forked at one, that its present run does not have.",
    fix: "Take the stepKey of a step from the instance's history.",
  },
  STEP_PASSED: {
    when: "The instance is to be rewound to a step, or forked at one, that lies behind the position which a loop has written down: the rows of its earlier iterations may be gone.",
    fix: "Name a step before the loop was called, or one since its position; or restart the instance.",
  },
  RUN_UNDONE: {
    when: "The instance is to be rewound or forked, and what its run has done is undone, or is to be.",
    fix: "Restart it, which begins a new run.",
  },
  RUN_NUMBER_MISMATCH: {
    when: "The instance is at another run than the command was meant for: it was restarted meanwhile.",
    fix: "Read the instance again and decide anew.",
  },
  UNAUTHORIZED: {
    when: "The host's authorizeRequest refused the request.",
    fix: "Send the credentials that the host asks for.",
  },
  FORBIDDEN: {
    when: "The host's policy does not allow this operation.",
    fix: "Ask the host's operator.",
  },
  CROSS_SITE_REQUEST: {
    when: "A page of another origin tried to change something through a visitor's browser.",
    fix: "Serve the page from the API's own origin, or name its origin in `http.trustedOrigins`.",
  },
  TICK_UNAUTHORIZED: {
    when: "The tick's bearer secret or signature is missing, wrong, stale or for another audience.",
    fix: "Sign with the current key; check clocks and audience.",
  },
  TICK_DISABLED: {
    when: "No tick secret is configured, so the tick route is closed.",
    fix: "Configure a bearer secret or signing keys.",
  },
  CALLBACK_DISABLED: {
    when: "A workflow called step.callback, or somebody brought a callback's token, and the engine has no option callbacks.",
    fix: "Give createEngine callbacks: { signingKeys, url } in every process that runs workflows or serves the HTTP API.",
  },
  BULK_DISABLED: {
    when: "A bulk job was asked for, and the engine has no option bulk.",
    fix: "Give createEngine bulk: true in every process that runs workflows or serves the HTTP API.",
  },
  CALLBACK_INVALID: {
    when: "A callback's token is none, is not whole, or was signed by a key, or under a namespace, that this engine does not have.",
    fix: "Use the URL unchanged; keep the old key behind the new one in callbacks.signingKeys for as long as callbacks of it are open.",
  },
  CALLBACK_USED: {
    when: "A callback's token has been used: the first payload counts, whatever comes later.",
    fix: "Nothing is left to be done; a request that is sent again because its answer was lost is told this too.",
  },
  CALLBACK_LATE: {
    when: "A callback's token comes too late: the wait timed out or was cancelled, or the run ended or was restarted.",
    fix: "Ask for a new URL: a run that was restarted makes its own.",
  },
} as const;
