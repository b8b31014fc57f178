import { type HeldSpan, LiveSpanView } from "../model/held-span.ts";
import { PlainFacts } from "../model/plain-facts.ts";
import type { AttributeMap, SpanAnnotation, SpanFacts, SpanView } from "../model/span.ts";
import { own } from "./attributes.ts";
import { Allowance, contentKeeper } from "./content.ts";
import type { Convention, KeepContent } from "./convention.ts";
import { DEFAULT_CONVENTIONS } from "./defaults.ts";
import { scanTextMember } from "./json.ts";
import { type KindReading, NO_KIND, readKind, readMapped } from "./kind-facts.ts";
import { askMapSpan, type MapSpan } from "./map-span.ts";
import { bestSession, MarkerTable, OWN_BIT, type RankedSession, type Scan, SESSION_BIT } from "./marker-table.ts";
import { checkConventions, checkMapSpan } from "./reader-options.ts";
import { METADATA_SESSION_MEMBERS } from "./session-keys.ts";
import { takeOff } from "./take-off.ts";

export interface SpanReaderOptions {
  /** @defaultValue DEFAULT_CONVENTIONS */
  readonly conventions?: readonly Convention[] | undefined;
  /** Longest content kept of one attribute, in bytes; longer content is cut. @defaultValue 65_536 */
  readonly maxContentBytes?: number | undefined;
  /**
   * On which spans short scalar attributes are kept for rules to match on. `roots`: local roots and agents.
   * @defaultValue "roots"
   */
  readonly keepAttributes?: "none" | "roots" | "all" | undefined;
  /** Says what a span is, before every convention. @defaultValue absent: the conventions decide alone */
  readonly mapSpan?: MapSpan | undefined;
  /** Called when code that is not ours failed: `mapSpan` threw or answered nonsense, or a convention threw. */
  readonly onProblem?: ((kind: "map_span" | "convention", error: unknown) => void) | undefined;
}

/** What of an SDK's ended span says whether it is plain. */
export interface PlainSpan {
  readonly name: string;
  readonly attributes: object;
  readonly instrumentationScope?: { readonly name: string } | undefined;
  readonly instrumentationLibrary?: { readonly name: string } | undefined;
}

/** Turns ended spans into the few facts that a trajectory needs. */
export interface SpanReader {
  /**
   * What there is to be read of a span, as bits of the reader's own: 0 where it is nothing but a place in the tree, with
   * no kind, no session id, and nothing of ours. Runs in the host's `span.end()`: one pass over the span's own attribute
   * keys, no allocation, never throws.
   */
  look(span: PlainSpan): number;
  /** {@link look}, or part of it where that is enough to know that the span will be held. */
  glance(span: PlainSpan): number;
  /** Whether a span of which {@link look} said so much may say what is expected. */
  mayAnnotate(look: number): boolean;
  /** The session id of a span of which {@link look} said so much, where it says nothing else. Never throws. */
  sessionAlone(look: number, span: PlainSpan): RankedSession | undefined;
  /**
   * What is held of a span until its trace is released. Runs in the host's `span.end()`: one pass over its attributes,
   * never throws, never mutates, parses nothing. `seq` is the span's position in the observed order of ending;
   * `localRoot` says that its parent is not held here; `look` is what {@link look} or {@link glance} said, where one of
   * them was asked just now.
   */
  hold(view: SpanView, seq: number, localRoot?: boolean, look?: number): HeldSpan;
  /** The facts of a span that was held. Never throws. */
  factsOf(held: HeldSpan): SpanFacts;
  /** The facts of a span; `seq` and `localRoot` as in {@link hold}. Never throws, never mutates, parses no content. */
  read(view: SpanView, seq: number, localRoot?: boolean): SpanFacts;
}

const ANNOTATION_KEYS = ["aip.expected_steps", "aip.expected_tools", "aip.expected_calls"] as const;
const OWN_KEYS = [...ANNOTATION_KEYS, "aip.egress", "aip.session.end"] as const;

/** What {@link SpanReader.look} says where anything may be read. */
const ALL_BITS = -1;
/** Nobody has looked: no bits are like this. */
const UNKNOWN = 1 << 31;

/** Ids are short; anything longer is no id. */
const MAX_SESSION_LENGTH = 1_024;
/** Limits of the attributes that rules may match on. */
const MAX_KEPT_LENGTH = 256;
const MAX_KEPT_ATTRIBUTES = 128;
/** What one set of facts occupies without its texts. */
const BASE_BYTES = 320;

/**
 * Builds a reader; conventions are compiled once.
 *
 * @throws TrajectoryError `invalid_option` for conventions that are none or share a name, and for a `mapSpan` that is
 *   no function
 */
export function createSpanReader(options: SpanReaderOptions = {}): SpanReader {
  const { maxContentBytes = 65_536, keepAttributes = "roots", mapSpan, onProblem } = options;
  const conventions = checkConventions(options.conventions ?? DEFAULT_CONVENTIONS);
  checkMapSpan(mapSpan);
  const table = new MarkerTable(conventions, OWN_KEYS);
  const keep = contentKeeper(maxContentBytes);
  const allowance = new Allowance(maxContentBytes);
  const looking =
    (bitsOf: (scope: string, name: string, attributes: object) => number) =>
    (span: PlainSpan): number => {
      // The hook may give any span a kind.
      if (mapSpan !== undefined) return ALL_BITS;
      try {
        const scope = span.instrumentationScope ?? span.instrumentationLibrary;
        return typeof span.name === "string" ? bitsOf(scope?.name ?? "", span.name, span.attributes) : ALL_BITS;
      } catch {
        return ALL_BITS;
      }
    };
  return {
    look: looking((scope, name, attributes) => table.bitsOf(scope, name, attributes)),
    glance: looking((scope, name, attributes) => table.firstBitsOf(scope, name, attributes)),
    mayAnnotate: (look) => (look & OWN_BIT) !== 0,
    sessionAlone(look, { attributes }) {
      if (look !== SESSION_BIT) return undefined;
      try {
        return bestSession(attributes as AttributeMap, sessionValue);
      } catch {
        return undefined;
      }
    },
    hold(view, seq, localRoot = false, look = UNKNOWN) {
      // The hook is host code that was promised the span as it ends.
      if (mapSpan !== undefined || !(view instanceof LiveSpanView)) return this.read(view, seq, localRoot);
      try {
        const bits = look === UNKNOWN ? table.bitsOf(view.scope_name, view.name, view.attributes) : look;
        const wanted = keepAttributes === "all" || (keepAttributes === "roots" && (localRoot || isLocalRoot(view)));
        if ((bits & ~SESSION_BIT) === 0 && !wanted) {
          return new PlainFacts(view, seq, bits === 0 ? undefined : bestSession(view.attributes, sessionValue));
        }
        view.seq = seq;
        view.local_root = localRoot;
        takeOff(view, table, bits, allowance);
        return view;
      } catch {
        // Attributes that cannot even be listed: reading them says so.
        return this.read(view, seq, localRoot);
      }
    },
    factsOf(held) {
      return held instanceof LiveSpanView ? this.read(held, held.seq, held.local_root) : held;
    },
    read(view, seq, localRoot = false) {
      const mapped = mapSpan === undefined ? undefined : askMapSpan(mapSpan, view, onProblem);
      try {
        const found = table.scan(view, sessionValue);
        const scan = mapped?.session_id === undefined ? found : withSession(found, mapped.session_id);
        const reading =
          mapped?.kind === undefined
            ? read(table, view, scan.bits, keep)
            : readMapped(view, { ...mapped, kind: mapped.kind }, table.planOf(scan.bits).conventions, keep);
        const wanted =
          keepAttributes === "all" ||
          (keepAttributes === "roots" && (localRoot || isLocalRoot(view) || reading.kind === "AGENT"));
        return factsOf(view, seq, scan, reading, keep, wanted);
      } catch (error) {
        // A convention that throws, or attributes that cannot even be listed: the span is still part of the tree.
        report(onProblem, error);
        return factsOf(view, seq, { bits: 0, session: undefined }, UNREADABLE, keep, false);
      }
    },
  };
}

const UNREADABLE: KindReading = Object.freeze({
  kind: undefined,
  facts: undefined,
  convention: "unreadable",
  failure: undefined,
  carried: undefined,
  bytes: 0,
});

function factsOf(
  view: SpanView,
  seq: number,
  scan: Scan,
  reading: KindReading,
  keep: KeepContent,
  keepAttributes: boolean,
): SpanFacts {
  const ownKeys = (scan.bits & OWN_BIT) !== 0;
  const annotation = ownKeys ? annotationOf(view, keep) : undefined;
  const attributes = keepAttributes ? shortScalars(view.attributes) : undefined;
  return {
    trace_id: view.trace_id,
    span_id: view.span_id,
    parent_id: view.parent_id,
    remote_parent: view.remote_parent,
    trace_flags: view.trace_flags,
    name: view.name,
    start_s: view.start_s,
    start_n: view.start_n,
    end_s: view.end_s,
    end_n: view.end_n,
    scope_name: view.scope_name,
    scope_version: view.scope_version,
    seq,
    kind: reading.kind,
    facts: reading.facts,
    convention: reading.convention,
    session: scan.session,
    annotation,
    egress: ownKeys ? egressOf(view.attributes) : undefined,
    session_end: ownKeys && isTrue(own(view.attributes, "aip.session.end")),
    attributes,
    resource: view.resource,
    bytes: BASE_BYTES + view.name.length * 2 + reading.bytes + (annotation ? 2_048 : 0) + (attributes ? 1_024 : 0),
    failure: reading.failure,
    carried: reading.carried,
  };
}

function read(table: MarkerTable, view: SpanView, bits: number, keep: KeepContent): KindReading {
  return bits === 0 ? NO_KIND : readKind(view, table.planOf(bits), keep);
}

/** What the hook says goes before every key on spans. */
function withSession(scan: Scan, value: string): Scan {
  return { bits: scan.bits, session: { rank: -1, value } };
}

function report(onProblem: SpanReaderOptions["onProblem"], error: unknown): void {
  try {
    onProblem?.("convention", error);
  } catch {
    // Whoever counts problems must not become one.
  }
}

function isLocalRoot(view: SpanView): boolean {
  return view.parent_id === "" || view.remote_parent;
}

/** The session id under one key; an empty text is none. `metadata` is OpenInference's JSON object. */
function sessionValue(attributes: AttributeMap, key: string): string | undefined {
  const value = own(attributes, key);
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (typeof value !== "string" || value === "") return undefined;
  if (key !== "metadata") return value.length <= MAX_SESSION_LENGTH ? value : undefined;
  for (const member of METADATA_SESSION_MEMBERS) {
    const found = scanTextMember(value, member);
    if (found !== undefined && found !== "" && found.length <= MAX_SESSION_LENGTH) return found;
  }
  return undefined;
}

function egressOf(attributes: AttributeMap): string | undefined {
  const value = own(attributes, "aip.egress");
  if (value === undefined || value === null) return undefined;
  // A value of another type was written too: it is not absent, and it is none of the known words.
  return typeof value === "string" ? value.slice(0, 64) : "invalid";
}

function isTrue(value: unknown): boolean {
  return value === true || value === "true";
}

function annotationOf(view: SpanView, keep: KeepContent): SpanAnnotation | undefined {
  const { attributes } = view;
  const columns: Record<string, unknown> = {};
  for (const key of ANNOTATION_KEYS) {
    const value = own(attributes, key);
    if (value === undefined || value === null) continue;
    const content = keep(value);
    // What cannot be kept whole must not pass for absent; as a cut text it is reported as unreadable.
    columns[key.slice("aip.".length)] = content?.cut ? "[too large]" : (content?.value ?? value);
  }
  if (Object.keys(columns).length === 0) return undefined;
  const rest = [
    ["unit", own(attributes, "aip.expected_unit")],
    ["id", own(attributes, "aip.expectation.id")],
    ["status", own(attributes, "aip.expectation.status")],
  ] as const;
  for (const [key, value] of rest) if (value !== undefined && value !== null) columns[key] = scalar(value);
  return { span_id: view.span_id, ...columns };
}

/** Ill-typed values are passed on as such, for the expectation's parser to name them. */
function scalar(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, MAX_SESSION_LENGTH);
  return typeof value === "object" ? "[not a text]" : value;
}

/** Short texts, numbers and booleans; keys such as `__proto__` stay plain data. */
function shortScalars(attributes: AttributeMap): AttributeMap {
  const kept: Record<string, unknown> = {};
  let count = 0;
  for (const key in attributes) {
    if (count >= MAX_KEPT_ATTRIBUTES) break;
    const value = own(attributes, key);
    const short = typeof value === "string" ? value.length <= MAX_KEPT_LENGTH : isNumberOrBoolean(value);
    if (!short) continue;
    // Assigning to this one would set the prototype; an object without one is slow to fill.
    if (key === "__proto__") Object.defineProperty(kept, key, { value, enumerable: true });
    else kept[key] = value;
    count += 1;
  }
  return kept;
}

function isNumberOrBoolean(value: unknown): boolean {
  return typeof value === "number" || typeof value === "boolean";
}
