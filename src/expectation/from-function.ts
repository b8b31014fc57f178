import type { Expectation, ExpectationRequest } from "../model/expectation.ts";
import { isPromise } from "../model/promise.ts";
import type { ResolutionRequest } from "../model/resolution.ts";
import { failedFound, readExpectation, reasonOf } from "./found.ts";
import type { ExpectationSource, Found, Timers } from "./source.ts";

/** What code may answer; nothing means that it has no expectation for the unit. */
export type ExpectationAnswer = Expectation | null | undefined;

/** Host code that knows the expectation of a unit. */
export type ExpectationFunction = (request: ExpectationRequest) => ExpectationAnswer | Promise<ExpectationAnswer>;

/** What a function source needs of its surroundings. */
export interface FunctionTools {
  readonly name: string;
  readonly timers: Timers;
  /** Time limit of one answer. */
  readonly timeoutMillis: number;
  /** What is told of something that the function threw. @defaultValue its message */
  readonly tell?: ((error: unknown) => string) | undefined;
  /** Runs host code, for example with tracing suppressed. @defaultValue a plain call */
  readonly run?: (<T>(call: () => T) => T) | undefined;
}

/**
 * A source that asks host code. What it throws or rejects with is `expectation_error`, a promise that takes longer
 * than the time limit `expectation_timeout`, an answer of another shape `invalid_expectation`. It is asked about each
 * unit with a copy of the request, so it cannot change what other sources see.
 */
export function fromFunction(ask: ExpectationFunction, tools: FunctionTools): ExpectationSource {
  const { name, tell = reasonOf } = tools;
  let asynchronous = false;
  const read = (answer: ExpectationAnswer): Found =>
    answer === undefined || answer === null ? {} : readExpectation(answer, "own", name);
  const failed = (error: unknown): Found => failedFound("expectation_error", `${name}: ${tell(error)}`);
  const run = tools.run ?? ((call) => call());
  return {
    name,
    checked: true,
    find(request) {
      try {
        const answer = run(() => ask(publicRequest(request)));
        if (!isPromise(answer)) return read(answer);
        asynchronous = true;
        return within(Promise.resolve(answer).then(read, failed), tools);
      } catch (error) {
        return failed(error);
      }
    },
    answersAtOnce: () => !asynchronous,
    loading: () => undefined,
  };
}

/** The first of two: the answer, or the end of its time. The timer is let go as soon as the answer is there. */
function within(answer: Promise<Found>, tools: FunctionTools): Promise<Found> {
  return new Promise((resolve) => {
    const message = `${tools.name}: no answer within ${tools.timeoutMillis} ms`;
    const timer = tools.timers.setTimer(
      () => resolve(failedFound("expectation_timeout", message)),
      tools.timeoutMillis,
    );
    void answer.then((found) => {
      tools.timers.clearTimer(timer);
      resolve(found);
    });
  });
}

function publicRequest(request: ResolutionRequest): ExpectationRequest {
  return {
    unit: request.unit,
    unit_id: request.unit_id,
    trace_ids: [...request.trace_ids],
    ...(request.session_id === undefined ? {} : { session_id: request.session_id }),
    ...(request.agent === undefined ? {} : { agent: request.agent }),
    ...(request.root_span === undefined ? {} : { root_span: request.root_span }),
    attributes: { ...request.attributes },
    resource: { ...request.resource },
  };
}
