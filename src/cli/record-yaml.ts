import { Document, isMap, isNode, isSeq, type Scalar, type YAMLMap } from "yaml";
import type { Proposal } from "../record/propose.ts";
import { oneLine } from "../report/one-line.ts";

/** Unit ids that a comment names. */
const MAX_IDS = 5;

/** Proposals as an expectations file, each with a comment that says what it was drawn from. */
export function recordYaml(proposals: readonly Proposal[]): string {
  const document = new Document({ expectations: proposals.map(({ rule }) => rule) });
  document.commentBefore =
    " Drawn from observed runs. Rules are ordered; the first that matches wins.\n Review each one, then set its status to approved: only then does it give pass or fail.";
  const rules = document.get("expectations");
  if (isSeq<YAMLMap<Scalar>>(rules)) {
    for (const [index, rule] of rules.items.entries()) {
      const proposal = proposals[index];
      if (proposal !== undefined) rule.commentBefore = commentOf(proposal);
      for (const { key, value } of rule.items) {
        const flows = isMap(value) || isSeq(value);
        if (flows && isNode(key)) value.flow = true;
      }
    }
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function commentOf({ unit_ids: ids, remarks }: Proposal): string {
  const named = ids.slice(0, MAX_IDS).join(", ");
  const more = ids.length > MAX_IDS ? `, and ${ids.length - MAX_IDS} more` : "";
  return [`${ids.length} ${ids.length === 1 ? "run" : "runs"}: ${named}${more}`, ...remarks.slice(0, MAX_IDS)]
    .map((line) => ` ${oneLine(line)}`)
    .join("\n");
}
