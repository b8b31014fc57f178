import { messageOf } from "../model/errors.ts";
import type { AttributeMap, SpanView } from "../model/span.ts";
import { isJaegerJson, takeJaegerSpans } from "../wire/from-jaeger-json.ts";
import { type SpanTaker, takeOtlpSpans } from "../wire/from-otlp-json.ts";
import { takeOtlpProtobuf } from "../wire/from-otlp-protobuf.ts";
import { otherSignalIn } from "../wire/other-signals.ts";
import type { TakenRequest } from "../wire/request-problems.ts";
import type { Complaints } from "./complaints.ts";
import { loadOptional } from "./optional-package.ts";
import type { FeedTaker, Place } from "./request-feed.ts";

/** Hands the spans of the requests of one file to their taker, and what is wrong with them to the complaints. */
export class RequestTaker implements FeedTaker {
  readonly #name: string;
  readonly #taker: SpanTaker;
  readonly #complaints: Complaints;

  /** `name`: that of the file, as people are told it. */
  constructor(name: string, taker: SpanTaker, complaints: Complaints) {
    this.#name = name;
    this.#taker = taker;
    this.#complaints = complaints;
  }

  json(value: unknown, place: Place): void {
    for (const request of Array.isArray(value) ? value : [value]) {
      const take = isJaegerJson(request) ? takeJaegerSpans : takeOtlpSpans;
      // Exports of other signals are whole without spans: nothing of a trajectory is lost with them.
      this.#took(take(request, this.#taker), place, otherSignalIn(request) === undefined);
    }
  }

  async protobuf(bytes: Uint8Array, place: Place): Promise<void> {
    const { Reader } = await loadOptional("protobufjs", "protobuf", () => import("protobufjs/minimal.js"));
    try {
      this.#took(takeOtlpProtobuf(Reader.create(bytes), sieved(this.#taker)), place, true);
    } catch (error) {
      this.broken(`not protobuf: ${messageOf(error)}; expected an OTLP request`, place);
    }
  }

  broken(problem: string, place: Place): void {
    this.#complaints.add(placeIn(this.#name, place), problem);
  }

  #took({ spans, problems }: TakenRequest, place: Place, lost: boolean): void {
    if (spans > 0 || problems.length === 0) this.#complaints.release();
    for (const problem of problems) this.#complaints.add(placeIn(this.#name, place), problem, lost);
  }
}

/** A place as it is told. */
export function placeIn(name: string, { unit, at }: Place): string {
  return unit === "line" ? `${name}:${at}` : `${name}: byte ${at}`;
}

/** A taker of whole spans, which are plain or not by the time they have been read, and share resources as they can. */
function sieved(taker: SpanTaker): SpanTaker {
  let given: AttributeMap | undefined;
  let shared: AttributeMap;
  const share = (resource: AttributeMap): AttributeMap => {
    if (resource === given) return shared;
    const text = JSON.stringify(resource);
    shared = taker.resources?.get(text) ?? resource;
    taker.resources?.set(text, shared);
    given = resource;
    return shared;
  };
  return {
    take(view: SpanView) {
      const { scope_name, name, attributes, resource } = view;
      const plain = taker.isPlain?.(scope_name, name, Object.keys(attributes)) ?? false;
      taker.take({ ...view, resource: share(resource) }, plain);
    },
  };
}
