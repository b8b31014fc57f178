import type { AttributeMap, SpanEvent, SpanView } from "../model/span.ts";

/**
 * Typed readers of single attributes. They look at own properties only, and survive getters and proxies that throw:
 * one hostile value is absent, the rest of the span stays readable.
 */
export function own(attributes: AttributeMap, key: string): unknown {
  try {
    return Object.hasOwn(attributes, key) ? attributes[key] : undefined;
  } catch {
    return undefined;
  }
}

/** A text with something in it, else undefined. */
export function text(attributes: AttributeMap, key: string): string | undefined {
  const value = own(attributes, key);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The first such text among several keys. */
export function firstText(attributes: AttributeMap, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = text(attributes, key);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The first value that is neither undefined nor null. */
export function firstValue(attributes: AttributeMap, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = own(attributes, key);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** True when the attribute was recorded at all, even as an empty text. */
export function has(attributes: AttributeMap, key: string): boolean {
  const value = own(attributes, key);
  return value !== undefined && value !== null;
}

const NO_ATTRIBUTES: AttributeMap = Object.freeze({});

/** Attributes of an event, never undefined. */
export function eventAttributes(event: SpanEvent | null | undefined): AttributeMap {
  try {
    // Lists of events may have holes; a throw for each would cost more than all else.
    const attributes = event?.attributes;
    return typeof attributes === "object" && attributes !== null ? attributes : NO_ATTRIBUTES;
  } catch {
    return NO_ATTRIBUTES;
  }
}

/** True when the span has an event of that name. */
export function hasEvent(span: SpanView, name: string): boolean {
  for (const event of span.events) if (event?.name === name) return true;
  return false;
}

/** Calls `visit` for every own key that begins with `prefix`. */
export function eachWithPrefix(attributes: AttributeMap, prefix: string, visit: (key: string) => void): void {
  for (const key in attributes) if (key.startsWith(prefix) && Object.hasOwn(attributes, key)) visit(key);
}
