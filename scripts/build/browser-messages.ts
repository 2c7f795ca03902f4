import { globSync, readFileSync } from 'node:fs'
import compile from 'icu-minify/compile'
import type { Plugin } from 'vite'

type Tree = { [name: string]: string | Tree }

/** The sources whose sentences every signed-in screen, or the one after the sign-in, may show. */
const FIRST = [
  'src/{shell,client,ui,shared}/**/*.{ts,tsx}',
  'src/features/reports/dashboard/*.{ts,tsx}',
  'src/features/day/appointments/AppointmentStatus*.tsx',
  'src/features/office/sessions/{Unlock.tsx,session.ts}',
  'src/routes/{__root,app/route,app/index}.tsx',
]

/** What `Providers` reads without its key. */
const ALSO = "'common.close'"

const MESSAGES = /[\\/]messages[\\/](?:en|ar|es)\.json\?(first|rest)$/

/**
 * In the browser's build: sentences are parsed here instead of there, which saves the browser the parser, and
 * `en.json?first` holds those of the first screen, `en.json?rest` all others.
 */
export default function browserMessages(): Plugin {
  let isFirst: (key: string) => boolean
  return {
    name: 'sanad:browser-messages',
    apply: 'build',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'client',
    buildStart() {
      isFirst = keysOfFirst()
    },
    resolveId: {
      filter: { id: /^use-intl\/format-message$/ },
      handler() {
        return this.resolve('use-intl/format-message/format-only')
      },
    },
    transform: {
      filter: { id: MESSAGES },
      handler(code, id) {
        const part = MESSAGES.exec(id)?.[1] === 'first' ? 'first' : 'rest'
        const messages = JSON.stringify(parseMessagesPart(code, part, isFirst))
        return { code: `export default ${messages}`, moduleType: 'js' }
      },
    },
  }
}

/** The sentences of one part, parsed. */
export function parseMessagesPart(
  text: string,
  part: 'first' | 'rest',
  isFirst = keysOfFirst(),
): object {
  return compiled(JSON.parse(text) as Tree, (key) => (part === 'first') === isFirst(key)) ?? {}
}

const keysOfFirst = () =>
  keysIn([ALSO, ...globSync(FIRST).map((path) => readFileSync(path, 'utf8'))])

/** Whether a source names the key as a whole, or begins a template with a part of it. */
function keysIn(texts: readonly string[]) {
  const keys = new Set<string>()
  const beginnings = new Set<string>()
  for (const text of texts) {
    for (const [, key = ''] of text.matchAll(/['"`]([a-zA-Z]\w*(?:\.\w+)+)['"`]/g)) keys.add(key)
    for (const [, start = ''] of text.matchAll(/`([a-zA-Z]\w*\.[\w.]*)\$\{/g)) beginnings.add(start)
  }
  return (key: string) => keys.has(key) || [...beginnings].some((start) => key.startsWith(start))
}

function compiled(tree: Tree, isWanted: (key: string) => boolean, path = ''): object | undefined {
  const entries = Object.entries(tree).flatMap(([name, value]) => {
    const key = path ? `${path}.${name}` : name
    if (typeof value === 'string') return isWanted(key) ? [[name, compile(value)]] : []
    const inner = compiled(value, isWanted, key)
    return inner ? [[name, inner]] : []
  })
  return entries.length > 0 ? (Object.fromEntries(entries) as object) : undefined
}
