import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { SaxesParser } from "saxes";

/** What a strict XML parser says against a text. */
export function xmlProblems(text: string): string[] {
  const problems: string[] = [];
  const parser = new SaxesParser();
  parser.on("error", (error) => problems.push(error.message));
  parser.write(text).close();
  return problems;
}

/** Name and attributes of every element, and the text directly inside of it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** Elements of an XML text in document order. */
export function xmlElements(text: string): XmlElement[] {
  const elements: XmlElement[] = [];
  const open: XmlElement[] = [];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", (tag) => {
    const element = { name: tag.name, attributes: tag.attributes as Record<string, string>, text: "" };
    elements.push(element);
    open.push(element);
  });
  parser.on("text", (part) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += part;
  });
  parser.on("closetag", () => open.pop());
  parser.write(text).close();
  return elements;
}

/** What the HTML standard calls a parse error. */
export function htmlProblems(page: string): string[] {
  const problems: string[] = [];
  parse(page, { onParseError: (error) => problems.push(`${error.code} at ${error.startLine}:${error.startCol}`) });
  return problems;
}

/** The text of every element of a name, as a browser would read the page. */
export function textsOf(page: string, tag: string): string[] {
  const texts: string[] = [];
  const pending: DefaultTreeAdapterTypes.ChildNode[] = [...parse(page).childNodes];
  for (let node = pending.shift(); node !== undefined; node = pending.shift()) {
    if (node.nodeName === tag) texts.push(textOf(node));
    if ("childNodes" in node) pending.unshift(...node.childNodes);
  }
  return texts;
}

function textOf(node: DefaultTreeAdapterTypes.ChildNode): string {
  if (node.nodeName === "#text" && "value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}

/** GitHub-flavoured Markdown as the page that a host makes of it. */
export function markdownPage(text: string): string {
  const body = micromark(text, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  return `<!doctype html><html><head><title>x</title></head><body>${body}</body></html>`;
}
