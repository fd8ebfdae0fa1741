/**
 * Codes of well-formed requests that are refused: the name is unknown, the state does not allow it, or the caller may not. Part of
 * `core/error-facts.ts`.
 */

export const REFUSED_REQUEST_FACTS = {
  WORKFLOW_NOT_FOUND: {
    when: "No workflow of that name is registered in this engine.",
    fix: "Use the workflow's own name, not the key under which it is registered; details.registered or GET /workflows lists the names. Register the workflows that step.invoke starts, too.",
  },
  INSTANCE_NOT_FOUND: {
    when: "The workflow has no instance of that id.",
    fix: "Create it first; ids are per workflow.",
  },
  ROUTE_NOT_FOUND: {
    when: "No route has that path.",
    fix: "The message says what the paths begin with. That prefix is http.mountRoute, also below a router of a framework. See the HTTP reference for the paths.",
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
    when: "instance.result() waited for an instance that was terminated, so there is no result.",
    fix: "Restart the instance, or treat it as given up.",
  },
  RESULT_TIMEOUT: {
    when: "instance.result() reached its timeout, by default a minute, before the instance ended.",
    fix: "Call it again, or give it a longer timeout. If details.status is queued, nothing ticks: start the platform or a loop. Otherwise instance.explain() says what the instance waits for.",
  },
  IDEMPOTENCY_KEY_CONFLICT: {
    when: "An instance was created, or got this command, with the same idempotency key and different inputs.",
    fix: "Use a new key for a new request; repeat a request unchanged.",
  },
  EVENT_ID_CONFLICT: {
    when: "The run has an event with that id and another type or payload, or the topic has a message with that id and another payload.",
    fix: "Use a new id for a new event or message; repeat one unchanged.",
  },
  EVENT_NOT_FOUND: {
    when: "A reply was asked for, but the run has no event with that id.",
    fix: "Send the event first. Ids are per run. An event that an iteration of a loop took is kept for an hour after that iteration is removed.",
  },
  EVENT_NOT_ANSWERED: {
    when: "The run has ended or was restarted without replying to the event.",
    fix: "Look at the instance's status in the details, and send the event to the new run.",
  },
  REPLY_TIMEOUT: {
    when: "instance.ask() reached its timeout before there was a reply to the event.",
    fix: "Ask again with details.eventId as the event's id, which makes it the same event. Or use a longer timeout.",
  },
  TOPIC_NOT_FOUND: {
    when: "A message was emitted to, or waited for on, a topic that the engine does not have.",
    fix: "Add it to the engine: createEngine({ topics: [topic] }).",
  },
  TOPIC_LIMIT: {
    when: "The topic holds twice as many messages as it keeps, because runs that wait have not received theirs yet.",
    fix: "Emit again later, and check that ticks run: they deliver what a dead process left behind.",
  },
  WAIT_LIMIT: {
    when: "As many requests as one process holds open already wait for an end, a reply or an entry, or read a stream: 5000.",
    fix: "Ask again in a few seconds, or without waitMs. Spread the readers over more processes.",
  },
  EVENT_LIMIT: {
    when: "The instance holds as many events, or bytes of events, as it may. A wait has to take some first.",
    fix: "Send again later; check that the workflow waits for events of this type.",
  },
  INSTANCE_NOT_ERRORED: {
    when: "You tried to retry an instance that has not failed: it is still live, or it ended in another way. Or it was rolled back, so its steps are undone.",
    fix: "Leave a live instance alone. Restart one that is complete, terminated or rolled back.",
  },
  INSTANCE_NOT_ENDED: {
    when: "You tried to delete an instance that has not ended, or one of its children has not, or the run that started it.",
    fix: "Wait for the end, or terminate it; details.liveInstanceId is the instance that is still live, and details.status is its status.",
  },
  STATUS_MISMATCH: {
    when: "The instance has none of the statuses that the command allows.",
    fix: "Read the instance again and decide anew; details.status is its status.",
  },
  STEP_NOT_FOUND: {
    when: "You tried to rewind to, retry from, or fork at, a step that the instance's current run does not have.",
    fix: "Take the stepKey of a step from the instance's history.",
  },
  STEP_PASSED: {
    when: "You tried to rewind to, retry from, or fork at, a step from before the position that a loop has stored. The rows of its earlier iterations may be gone.",
    fix: "Choose a step before the loop, or one after its stored position, or restart the instance.",
  },
  RUN_UNDONE: {
    when: "You tried to rewind, fork, or retry from a step an instance whose run has been rolled back, or is about to be.",
    fix: "Restart it, which begins a new run.",
  },
  RUN_NUMBER_MISMATCH: {
    when: "The command named a run, and the instance has another one: it was restarted meanwhile.",
    fix: "Read the instance again and decide anew.",
  },
  UNAUTHORIZED: {
    when: "The request has no secret, or not the right one. Or the engine has no http.authorizeRequest, and then it refuses everybody.",
    fix: "With bearerAuth, send the header authorization: Bearer with its secret. If the engine has no authorizer, pass http: { authorizeRequest: bearerAuth(secret) } to createEngine.",
  },
  FORBIDDEN: {
    when: "The caller is known, but an authorizer or a policy of the application (http.policies) does not allow this operation.",
    fix: "Call with credentials that may do it, or change the policy.",
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
    fix: "Pass a bearer secret or signing keys: http: { tick: { bearerSecret } } of createEngine, or tick of the platform's handler.",
  },
  CALLBACK_DISABLED: {
    when: "A workflow called step.callback, or somebody used a callback's token, but the engine has no callbacks option.",
    fix: "Pass callbacks: { signingKeys, url } to createEngine in every process that runs workflows or serves the HTTP API.",
  },
  BULK_DISABLED: {
    when: "A bulk job was asked for, but the engine does not allow them.",
    fix: "Pass bulk: true to createEngine in every process that runs workflows or serves the HTTP API.",
  },
  CALLBACK_INVALID: {
    when: "A callback's token is malformed or cut off, or it was signed with a key or namespace that this engine does not have.",
    fix: "Use the URL unchanged. After a new key, keep the old one in callbacks.signingKeys, behind it, as long as its callbacks are open.",
  },
  CALLBACK_USED: {
    when: "The callback has been used already. The first payload counts.",
    fix: "Nothing. You also get this when you repeat a request whose answer was lost.",
  },
  CALLBACK_LATE: {
    when: "The callback came too late: the wait timed out or was cancelled, or the run ended or was restarted.",
    fix: "Ask for a new URL; a restarted run creates its own.",
  },
} as const;
