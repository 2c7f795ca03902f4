import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { operations } from '~/rpc/operations'
import type { AnyOperation } from '~/server/operation'

const FILE = '../src/rpc/operations.gen.ts'

const load = import.meta.glob<object>('../src/**/*.server.ts')
const isOperation = (exported: unknown): exported is AnyOperation =>
  typeof exported === 'function' && 'facts' in exported

const files = [
  ...readFileSync('src/rpc/operations.ts', 'utf8').matchAll(
    /^import \* as (\w+) from '~\/([^']+)'$/gm,
  ),
].map(([, as = '', path = '']) => ({ as, path }))
const declared = (
  await Promise.all(
    files.map(async ({ as, path }) =>
      Object.entries(await load[`../src/${path}.ts`]!()).flatMap(([constant, operation]) => {
        if (!isOperation(operation)) return []
        const { name, kind } = operation.facts
        const [noun = '', verb = ''] = name.split('.')
        return [{ name, kind, noun, verb, type: `typeof ${as}.${constant}` }]
      }),
    ),
  )
)
  .flat()
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))

const named = (kind: string) =>
  declared.filter((each) => each.kind === kind).map(({ name }) => `  | '${name}'`)
const nouns = Map.groupBy(declared, ({ noun }) => noun)

/** As text and not computed by the compiler, which would infer every operation to know the name of one. */
const text = `// Generated: \`npm test -- test/operation-types.test.ts -u\` writes it anew. Do not edit.
${files.map(({ as, path }) => `import type * as ${as} from '~/${path}'`).join('\n')}

export interface Operations {
${declared.map(({ name, type }) => `  '${name}': ${type}`).join('\n')}
}

export type QueryName =
${named('query').join('\n')}

export type MutationName =
${named('mutation').join('\n')}

/** The name of each operation by its noun and verb. */
export interface OperationNames {
${[...nouns]
  .map(
    ([noun, all]) =>
      `  ${noun}: {\n${all.map(({ verb, name }) => `    ${verb}: '${name}'`).join('\n')}\n  }`,
  )
  .join('\n')}
}
`

test('the types of the operations are those of the files that declare them', async () => {
  await expect(text).toMatchFileSnapshot(FILE)
})

test('each operation that programs may call has a type', () => {
  expect(declared.map(({ name }) => name)).toEqual([...operations.keys()].toSorted())
})
