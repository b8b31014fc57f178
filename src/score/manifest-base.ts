import type { Manifest } from "../model/scorer.ts";
import type { Kind } from "../model/span.ts";
import { type ConfigSchema, printSchema } from "./config.ts";

/** What differs from one metric of the specifications to the next. */
export interface ManifestParts
  extends Pick<
    Manifest,
    "name" | "display_name" | "version" | "description" | "entrypoint" | "required_columns" | "metric_metadata"
  > {
  /** Kinds of which a unit needs at least one; empty: it needs none. */
  readonly needs: readonly Kind[];
  /** Asked when somebody reads the schema: scoring reads manifests, and making schemas takes milliseconds. */
  readonly config: () => ConfigSchema<unknown>;
  /** What runs differently from a score on the CPU. */
  readonly execution?: Partial<Manifest["execution"]>;
}

/** A manifest with every field of the specifications, for a metric that scores one unit at a time on the CPU. */
export function manifestOf(parts: ManifestParts): Manifest {
  let printed: Manifest["config_schema"] | undefined;
  return {
    manifest_version: "1",
    kind: "trace_metric",
    name: parts.name,
    display_name: parts.display_name,
    version: parts.version,
    description: parts.description,
    metric_type: "pointwise",
    scorer_contract: "per_row",
    direction: "higher_is_better",
    entrypoint: parts.entrypoint,
    partition_types: ["trace", "session"],
    required_kinds: parts.needs.length === 0 ? [] : [{ anyOf: parts.needs }],
    required_columns: parts.required_columns,
    accepts: [{ name: "canonical_partition_v1" }],
    get config_schema() {
      if (printed === undefined) {
        const { schema, notes } = parts.config();
        printed = printSchema(schema, notes);
      }
      return printed;
    },
    dependencies: [],
    execution: {
      emits_metric_family: false,
      function_name: null,
      max_concurrency: 4,
      processing_kind: "cpu",
      timeout_seconds: 300,
      ...parts.execution,
    },
    metric_metadata: parts.metric_metadata,
    unsupported_trace_shapes: [],
  };
}
