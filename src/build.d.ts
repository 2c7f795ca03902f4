/** Written by TanStack Start's build: what each route loads. */
declare module 'tanstack-start-manifest:v' {
  type Link = string | { href: string }
  type Route = { preloads?: readonly Link[]; css?: readonly Link[] }
  export function tsrStartManifest(): { routes: Partial<Record<string, Route>> }
}

/** The two parts of a language: scripts/build/browser-messages.ts. */
declare module '*.json?first' {
  const part: Partial<import('./shared/language').Messages>
  export default part
}
declare module '*.json?rest' {
  const part: Partial<import('./shared/language').Messages>
  export default part
}
