import type { Plugin } from 'vite'

const WRITERS = /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/

/** zod's writers of JSON schemas hang on each schema, so no bundler sees that no screen calls them. */
export default function withoutJsonSchema(): Plugin {
  return {
    name: 'sanad:without-json-schema',
    apply: 'build',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'client',
    transform: {
      filter: { id: WRITERS },
      handler(code) {
        const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(
          ([, name]) => name,
        )
        return names.map((name) => `export const ${name} = () => () => undefined`).join('\n')
      },
    },
  }
}
