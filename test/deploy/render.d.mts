/** The command of kustomize that this machine has, if any. */
export const kustomize: readonly string[] | undefined;

/** The manifests of a folder with components laid over it, as YAML. @throws Error where kustomize refuses them */
export function render(folder: string, ...components: readonly string[]): string;

/** What is meant to be applied, by name: a folder, and what is laid over it. */
export const SETS: Readonly<Record<string, readonly [folder: string, ...components: string[]]>>;
